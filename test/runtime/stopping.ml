(* The end of a runtime, under load and called from every place. *)

open Common

let storm_of_submitters t =
  let go_on = Atomic.make true and accepted = Atomic.make 0 in
  let submit () =
    let promises = ref [] in
    while Atomic.get go_on do
      match Runtime.submit t Dromos.yield with
      | p ->
          Atomic.incr accepted;
          promises := p :: !promises;
          if Atomic.get accepted mod 1000 = 0 then Thread.yield ()
      | exception Runtime.Stopped _ -> Atomic.set go_on false
    done;
    !promises
  in
  let threads =
    List.init 3 (fun _ ->
        let result = Promise.create () in
        let body () = Promise.resolve result (submit ()) in
        ignore (Thread.create body () : Thread.t);
        result)
  in
  until "some accepted" (fun () -> Atomic.get accepted > 100);
  fun () -> List.concat_map Promise.await threads

(* A burst of unstarted tasks, beside submitters that meet the end. *)
let under_load ~drain () =
  let t = Runtime.create ~hub ~workers ~queue:5000 () in
  let submitters = storm_of_submitters t in
  Runtime.stop ~drain t;
  let promises = submitters () in
  bool "all resolved" true (List.for_all Promise.is_resolved promises);
  let s = at_rest "stop" t in
  int "accepted" (List.length promises) s.accepted;
  if drain then int "finished" s.accepted s.finished
  else
    int "cancelled" s.cancelled
      (List.length (List.filter is_cancelled promises));
  bool "refuses" true (is_stopped (fun () -> Runtime.submit t ignore));
  bool "refuses" true (is_stopped (fun () -> Runtime.try_submit t ignore));
  bool "refuses" true (is_stopped (fun () -> Runtime.post t ignore));
  bool "refuses" true (is_stopped (fun () -> Runtime.run t ignore));
  bool "refused" true ((Runtime.stats t).refused >= 4);
  Runtime.stop t;
  Runtime.stop ~drain:false t

let cleans_up () =
  let t = Runtime.create ~hub ~workers () in
  let begun = Latch.create 1 and cleaned = Atomic.make false in
  let p =
    Runtime.submit t (fun () ->
        Latch.count_down begun;
        Fun.protect
          (fun () -> Promise.await (Promise.create ()))
          ~finally:(fun () ->
            Dromos.protect (fun () -> Dromos.sleep 0.02);
            Atomic.set cleaned true))
  in
  Latch.wait begun;
  Runtime.stop ~drain:false t;
  bool "cleaned up" true (Atomic.get cleaned);
  bool "cancelled" true (is_cancelled p);
  int "counted" 1 (at_rest "clean" t).cancelled

let waits_forever t =
  let begun = Latch.create 1 in
  let p =
    Runtime.submit t (fun () ->
        Latch.count_down begun;
        Promise.await (Promise.create ()))
  in
  Latch.wait begun;
  p

let timeout () =
  let t = Runtime.create ~hub ~workers () in
  let p = waits_forever t in
  Runtime.stop ~timeout:0.02 t;
  bool "cancelled" true (is_cancelled p)

(* A draining stop is overtaken by a stop without draining. *)
let overtaken () =
  let t = Runtime.create ~hub ~workers () in
  let p = waits_forever t in
  let drains =
    List.init 3 (fun _ -> Thread.create (fun () -> Runtime.stop t) ())
  in
  until "stopping" (fun () -> Runtime.is_stopped t);
  (match
     Dromos.run ~workers:1 (fun () ->
         Dromos.timeout 0.01 (fun () -> Runtime.stop t))
   with
  | () -> Alcotest.fail "drained"
  | exception Dromos.Timeout -> ());
  bool "still there" false (Promise.is_resolved p);
  Runtime.stop ~drain:false t;
  List.iter Thread.join drains;
  bool "cancelled" true (is_cancelled p)

let from_inside ~drain () =
  let t = Runtime.create ~hub ~workers () in
  let others = List.init 100 (fun i -> Runtime.submit t (fun () -> i)) in
  let stopped =
    Runtime.submit t (fun () ->
        Runtime.stop ~drain t;
        (* No cancellation point comes in between. *)
        is_stopped (fun () -> Runtime.submit t ignore))
  in
  bool "refuses" true (Promise.await stopped);
  Runtime.stop t;
  bool "all resolved" true (List.for_all Promise.is_resolved others);
  let s = at_rest "inside" t in
  int "all tasks" 101 (s.finished + s.cancelled);
  if drain then int "finished" 101 s.finished

let submitters_leave () =
  let t = Runtime.create ~hub ~workers:1 ~queue:1 () in
  let free = occupy t in
  Runtime.post t ignore;
  let waiting =
    List.init 5 (fun _ ->
        let result = Promise.create () in
        let submit () =
          Promise.resolve result
            (is_stopped (fun () -> Runtime.submit t ignore))
        in
        ignore (Thread.create submit () : Thread.t);
        result)
  in
  Thread.delay 0.02;
  let stop = Thread.create (fun () -> Runtime.stop t) () in
  List.iter (fun p -> bool "sent away" true (Promise.await p)) waiting;
  free ();
  Thread.join stop;
  let s = at_rest "leave" t in
  int "accepted" 2 s.accepted;
  int "refused" 5 s.refused

let with_ () =
  let kept = ref None in
  (match
     Runtime.with_ ~hub ~workers (fun t ->
         kept := Some (t, waits_forever t);
         failwith "on purpose")
   with
  | () -> Alcotest.fail "returned"
  | exception Failure _ -> ());
  (* In a fiber that is cancelled meanwhile. *)
  (match
     Dromos.run ~workers:1 (fun () ->
         Dromos.timeout 0.02 (fun () ->
             Runtime.with_ ~hub ~workers (fun t ->
                 ignore (waits_forever t : unit Promise.t))))
   with
  | () -> Alcotest.fail "drained"
  | exception Dromos.Timeout -> ());
  match !kept with
  | None -> Alcotest.fail "not called"
  | Some (t, p) ->
      bool "stopped" true (Runtime.is_stopped t);
      bool "cancelled" true (is_cancelled p)

(* More runtimes, one after the other, than the number of domains allowed at a
   time. *)
let again_and_again () =
  for i = 1 to 150 do
    Runtime.with_ ~hub ~workers:2 (fun t ->
        int "round" i (Runtime.run t (fun () -> i)))
  done

let case = Watch.case

let cases =
  [
    case "draining, under load" (under_load ~drain:true);
    case "cancelling, under load" (under_load ~drain:false);
    case "clean-up" cleans_up;
    case "timeout" timeout;
    case "several stops" overtaken;
    case "draining, from inside" (from_inside ~drain:true);
    case "cancelling, from inside" (from_inside ~drain:false);
    case "submitters that wait" submitters_leave;
    case "with_" with_;
    case "150 one after the other" again_and_again;
  ]
