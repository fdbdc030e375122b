(* The last first. *)
let undone : (unit -> unit) list ref = ref []

(* While a program starts, its process id is not known: a signal is noted. *)
let starting = ref false
let noted : int option ref = ref None

let leave status =
  List.iter (fun undo -> try undo () with Sys_error _ -> ()) !undone;
  exit status

let on_signal status _ =
  if !starting then noted := Some status else leave status

let started () =
  starting := false;
  Option.iter leave !noted

let during undo f ~finally =
  undone := undo :: !undone;
  Fun.protect f ~finally:(fun () ->
      undone := List.filter (fun other -> other != undo) !undone;
      finally ())

let protect ~finally f = during finally f ~finally

let rec retry f =
  match f () with v -> v | exception Unix.Unix_error (EINTR, _, _) -> retry f

let kill pid () =
  try
    Unix.kill pid Sys.sigkill;
    ignore (retry (fun () -> Unix.waitpid [] pid) : int * Unix.process_status)
  with Unix.Unix_error _ -> () (* the child has been waited for *)

let with_child start f =
  starting := true;
  match start () with
  | pid ->
      let known () =
        started ();
        f pid
      in
      Ok (during (kill pid) ~finally:ignore known)
  | exception Unix.Unix_error (e, _, _) ->
      started ();
      Error e

let handle_signals () =
  List.iter
    (fun (signal, status) ->
      match Sys.signal signal Signal_ignore with
      | Signal_ignore -> ()
      | Signal_default | Signal_handle _ ->
          Sys.set_signal signal (Signal_handle (on_signal status)))
    [ (Sys.sighup, 129); (Sys.sigint, 130); (Sys.sigterm, 143) ]
