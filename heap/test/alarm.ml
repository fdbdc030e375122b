exception Now

let hits = Atomic.make 0
let allowed = Array.make 100_000 false (* by thread *)
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

(* Nothing is allocated, so no signal is handled, from the end of [f] until it is not
   allowed any more. *)
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
