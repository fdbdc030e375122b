let may_draw fd =
  Unix.isatty fd
  && match Sys.getenv_opt "TERM" with None | Some "dumb" -> false | _ -> true

let terminal = ref (may_draw Unix.stderr)
let drawn () = !terminal

let under_launcher () =
  let stderr = Printf.sprintf "/proc/%d/fd/2" (Unix.getppid ()) in
  match
    Unix.openfile stderr [ O_WRONLY; O_NOCTTY; O_CLOEXEC; O_NONBLOCK ] 0
  with
  | fd ->
      terminal := may_draw fd;
      Unix.close fd
  | exception Unix.Unix_error _ -> ()

let put s =
  if !terminal then
    ignore (Unix.write_substring Unix.stderr s 0 (String.length s) : int)

(* Without wrapping (DECAWM) a long line does not become two. *)
let show format =
  Printf.ksprintf
    (fun line -> put ("\r\027[K\027[?7l" ^ line ^ "\027[?7h"))
    format

let clear () = put "\r\027[K"
