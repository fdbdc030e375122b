(* Files that commands write. *)

let make_directory path =
  if not (Sys.file_exists path) then Sys.mkdir path 0o755

(* Letters and digits; the rest becomes one dash. *)
let file_name text =
  let b = Buffer.create 32 in
  String.iter
    (function
      | ('a' .. 'z' | 'A' .. 'Z' | '0' .. '9') as c ->
          Buffer.add_char b (Char.lowercase_ascii c)
      | _ ->
          let n = Buffer.length b in
          if n > 0 && Buffer.nth b (n - 1) <> '-' then Buffer.add_char b '-')
    text;
  Buffer.contents b

let write path text =
  Out_channel.with_open_bin path (fun out -> output_string out text);
  Printf.eprintf "%s is written\n%!" path

(* What the system refuses is the user's to know, in one line. *)
let guarded f =
  match f () with
  | status -> status
  | exception Sys_error message ->
      prerr_endline message;
      Status.bad_input
