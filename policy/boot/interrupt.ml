exception By of int

let closing = ref 0
let pending = ref None

let came signal =
  if !closing > 0 then pending := Some signal else raise (By signal)

let heard f =
  let signals = [ Sys.sigint; Sys.sigterm; Sys.sighup ] in
  let once signal =
    List.iter (fun s -> Sys.set_signal s Signal_ignore) signals;
    came signal
  in
  let before =
    List.map (fun s -> (s, Sys.signal s (Signal_handle once))) signals
  in
  Fun.protect f ~finally:(fun () ->
      List.iter (fun (signal, old) -> Sys.set_signal signal old) before)

let late () =
  match !pending with
  | Some signal when !closing = 0 ->
      pending := None;
      raise (By signal)
  | Some _ | None -> ()

(* The function is written without [Fun.protect]: a signal handler that
   raises just after [decr] would have its exception hidden in
   [Fun.Finally_raised]. *)
let put_off f =
  incr closing;
  match f () with
  | result ->
      decr closing;
      result
  | exception e ->
      let trace = Printexc.get_raw_backtrace () in
      decr closing;
      Printexc.raise_with_backtrace e trace

let protect ~finally f =
  match f () with
  | result ->
      put_off finally;
      late ();
      result
  | exception e ->
      let trace = Printexc.get_raw_backtrace () in
      put_off finally;
      Printexc.raise_with_backtrace e trace
