exception Now

let hits = Atomic.make 0
let allowed = Array.make 100_000 false (* indexed by thread *)
let me () = Thread.id (Thread.self ())
let also = Atomic.make ignore

let on_alarm _ =
  let n = Atomic.fetch_and_add hits 1 in
  ignore (Sys.opaque_identity (List.init 20 string_of_int));
  (Atomic.get also) ();
  if n land 7 = 0 && allowed.(me ()) then raise Now

let every s =
  ignore
    (Unix.setitimer ITIMER_REAL { it_interval = s; it_value = s }
      : Unix.interval_timer_status)

let during f =
  Atomic.set hits 0;
  Sys.set_signal Sys.sigalrm (Signal_handle on_alarm);
  every 0.0001;
  Fun.protect f ~finally:(fun () ->
      every 0.;
      Atomic.set also ignore);
  Check.must "signals came" (Atomic.get hits > 0)

(* Signals are handled at poll points. No poll point lies between the end of [f] and the
   store that forbids to raise, so a signal never raises after [f] has returned. *)
let interrupted f =
  let me = me () in
  match
    allowed.(me) <- true;
    f ()
  with
  | x ->
      allowed.(me) <- false;
      Some x
  | exception e ->
      allowed.(me) <- false;
      if e = Now then None else raise e
