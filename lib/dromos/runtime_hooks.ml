open Dromos_fiber

type report = string -> exn -> Printexc.raw_backtrace -> unit

(* [pending] has one part for each worker between its two hooks, and the runtime's
   domain waits for all parts at the end. A domain that comes later finds the run
   over: it serves nothing and calls no hook. *)
let attend report pending ~on_start ~on_stop =
  let call what hook id =
    match hook id with
    | () -> ()
    | exception e ->
        let what = Printf.sprintf "%s of worker %d" what id in
        report what e (Printexc.get_raw_backtrace ())
  in
  fun id serve ->
    if Pending.enter pending then begin
      call "on_worker_start" on_start id;
      serve ();
      call "on_worker_stop" on_stop id;
      Pending.exit pending
    end
    else serve ()

let wait pending =
  if Pending.body_over pending then
    Dromos_suspend.suspend_shielded ~reason:"Runtime.stop"
      (Pending.block pending)
