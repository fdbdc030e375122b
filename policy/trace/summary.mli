(** The figures of a recorded schedule. Times are in microseconds.

    {[
      open Dromos_policy_trace

      let text =
        {|
            a-1     [000] d.... 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120
       <idle>-0     [001] d.... 1.000010: sched_wakeup: comm=c pid=3 prio=120 target_cpu=001
       <idle>-0     [001] d.... 1.000015: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=c next_pid=3 next_prio=120
            b-2     [000] d.... 1.000040: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
      |}

      let () =
        match Read.text text with
        | Error why -> failwith why
        | Ok trace ->
            let figures = Summary.of_trace trace in
            assert (figures.time = 40. && figures.idle_beside = 10.);
            assert (figures.preempted.longest = 40.);
            let page = Page.of_trace ~name:"example" trace in
            let doctype = String.starts_with ~prefix:"<!doctype html>" in
            assert (doctype (page.html ()))
    ]} *)

val of_trace : ?from:float -> ?until:float -> Trace.t -> Figures.t
(** The figures between the two times, which are in microseconds after the first
    event. *)

val of_schedule : Trace.t -> Schedule.t -> Figures.t
(** The figures of a schedule made from this trace. *)

val pp : Figures.t Fmt.t
val to_json : Figures.t -> Yojson.Safe.t
