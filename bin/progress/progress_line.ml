let terminal =
  Unix.isatty Unix.stderr
  && match Sys.getenv_opt "TERM" with None | Some "dumb" -> false | _ -> true

let drawn () = terminal

let put s =
  if terminal then
    ignore (Unix.write_substring Unix.stderr s 0 (String.length s) : int)

(* Without wrapping (DECAWM) a long line does not become two. *)
let show format =
  Printf.ksprintf
    (fun line -> put ("\r\027[K\027[?7l" ^ line ^ "\027[?7h"))
    format

let clear () = put "\r\027[K"
