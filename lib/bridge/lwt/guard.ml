(* The object's own tables stay empty: the guarded engine has all events. *)
class guarded ~(check : string -> unit) (engine : Lwt_engine.t) =
  object
    inherit Lwt_engine.select
    method! iter block = engine#iter block
    method! fork = engine#fork
    method! destroy = engine#destroy
    method! transfer other = engine#transfer other
    method! fake_io fd = engine#fake_io fd
    method! readable_count = engine#readable_count
    method! writable_count = engine#writable_count
    method! timer_count = engine#timer_count
    method! forwards_signal signal = engine#forwards_signal signal

    method! on_readable fd f =
      check "an operation of Lwt on a descriptor";
      engine#on_readable fd f

    method! on_writable fd f =
      check "an operation of Lwt on a descriptor";
      engine#on_writable fd f

    method! on_timer seconds repeat f =
      check "Lwt_unix.sleep, or another timer of Lwt";
      engine#on_timer seconds repeat f
  end

let last : Lwt_engine.t option ref = ref None

let guard_engine check =
  let engine = Lwt_engine.get () in
  match !last with
  | Some ours when ours == engine -> ()
  | Some _ | None ->
      let ours = (new guarded ~check engine :> Lwt_engine.t) in
      Lwt_engine.set ~transfer:false ~destroy:false ours;
      last := Some ours

(* {1 Lwt's own thread} *)

module Timer = Dromos_service.Timer

let patience = Timer.span ~call:"Dromos_lwt" 1.

let blocked_text stack =
  Printf.sprintf
    "dromos: a wait of Dromos in Lwt code has blocked Lwt's thread for a \
     second, and no other Lwt code runs meanwhile; wait by Dromos_lwt.sync or \
     of_promise, or in a Dromos_lwt.fiber\n\
     %s"
    (Printexc.raw_backtrace_to_string stack)

let park_watched park =
  let stack = Printexc.get_callstack 30 in
  let tell () = Dromos_service.Host.advise (blocked_text stack) in
  Fun.protect park ~finally:(Timer.after patience tell)

let guard_thread is_here =
  let before = Dromos_suspend.parker () in
  Dromos_suspend.set_parker (fun () ->
      let parker = before () in
      if is_here () then
        { parker with park = (fun () -> park_watched parker.park) }
      else parker)

let installed = ref false

let install ~check ~is_here =
  guard_engine check;
  if not !installed then begin
    installed := true;
    Lwt.register_pause_notifier (fun _ -> check "Lwt.pause");
    guard_thread is_here
  end
