(** What a recorded schedule comes to. Times in microseconds.

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
            let figures = Figures.of_trace trace in
            assert (figures.time = 40. && figures.idle_beside = 10.);
            assert (figures.preempted.longest = 40.);
            let page = Page.of_trace ~name:"example" trace in
            let doctype = String.starts_with ~prefix:"<!doctype html>" in
            assert (doctype (page.html ()))
    ]} *)

open Dromos_policy_simulate

type times = {
  count : int;
  p50 : float;
  p90 : float;
  p99 : float;
  longest : float;
}

type used = {
  thread : string;  (** name and pid *)
  ran : float;
  could : float;  (** it ran or was ready *)
}

type t = {
  cores : int;
  events : int;  (** of the whole trace *)
  begins : float;  (** after the first event *)
  time : float;
  not_known : float;  (** core time of which it is not known what ran *)
  busy : float;  (** share of the other core time in which threads ran *)
  idle_beside : float;
      (** core time in which a core was idle while another had two threads or
          more. Which threads may run where is not in a trace: also where they
          may not. *)
  wasted : float;
      (** core time that could have been used, if all threads may run anywhere:
          at each moment the lesser of the idle cores and of the threads that
          others had to spare *)
  wasted_while : float;  (** time in which some core idled so *)
  wastes : int;  (** spans of a core that idles so *)
  longest_wastes : Occupancy.waste list;
      (** the five longest, longest first; from {!begins} on *)
  woken : times;  (** from waking, or being new, to running *)
  preempted : times;  (** from being preempted, or yielding, to running *)
  longest : Figures.wait option;
  still_waiting : int;  (** threads, at the end *)
  migrations : int;  (** runs on another core than the time before *)
  moved : int;  (** ready threads that were taken from core to core *)
  switches : int;  (** to a thread *)
  fairness : float;  (** Jain's index of ran / could *)
  used : used list;  (** of all threads that could run, most time first *)
  wakeups_recorded : bool;
      (** if not, [woken] is empty, and all waits are less *)
  lost : int;  (** events *)
  faulty : int;  (** lines *)
  missing : int;  (** switches, {!Schedule.t.missing} *)
}

val of_trace : ?from:float -> ?until:float -> Trace.t -> t
(** Of the time between the two, in microseconds after the first event. *)

val of_schedule : Trace.t -> Schedule.t -> t
(** Of one that was made of this trace. *)

val pp : t Fmt.t
val to_json : t -> Yojson.Safe.t
