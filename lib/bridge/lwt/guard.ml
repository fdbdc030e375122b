(* Its own tables stay empty: all is the other engine's. *)
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
      check "Lwt_engine.on_readable, of Lwt_unix and Lwt_io,";
      engine#on_readable fd f

    method! on_writable fd f =
      check "Lwt_engine.on_writable, of Lwt_unix and Lwt_io,";
      engine#on_writable fd f

    method! on_timer seconds repeat f =
      check "Lwt_engine.on_timer, of Lwt_unix.sleep and others,";
      engine#on_timer seconds repeat f
  end

let last : Lwt_engine.t option ref = ref None

let install ~check =
  let engine = Lwt_engine.get () in
  match !last with
  | Some ours when ours == engine -> ()
  | Some _ | None ->
      let ours = (new guarded ~check engine :> Lwt_engine.t) in
      Lwt_engine.set ~transfer:false ~destroy:false ours;
      last := Some ours;
      Lwt.register_pause_notifier (fun _ -> check "Lwt.pause")
