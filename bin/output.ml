(* Files that commands write. *)

let make_directory path =
  if not (Sys.file_exists path) then Sys.mkdir path 0o755

(* The text as the name of a file: letters, made small, and digits are kept;
   a run of any other characters becomes one dash, and is dropped at the
   head. *)
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

let save = Dromos_policy_boot.Cache.write

(* Replaces a file by renaming, so that the file is never half written. The
   function follows links and keeps the file's rights. *)
let replace path text =
  let path = Unix.realpath path in
  let temporary = path ^ ".dromos-new" in
  match
    save temporary text;
    Unix.chmod temporary (Unix.stat path).st_perm;
    Sys.rename temporary path
  with
  | () -> ()
  | exception e ->
      (try Sys.remove temporary with Sys_error _ -> ());
      raise e

let write path text =
  save path text;
  Printf.eprintf "%s is written\n%!" path

(* Writes a program made of a policy, to a file or to standard output; or
   reports the part of the policy for which the target has no room. *)
let made ~what make path =
  match make () with
  | Error ((at : Dromos_policy_core.Core.place), part) ->
      Printf.eprintf "%s:%d:%d: %s no room for %s\n" at.file at.line
        (at.column + 1) what part;
      Status.bad_input
  | Ok text ->
      (match path with
      | None -> print_string text
      | Some path -> write path text);
      Status.fine

let to_ ~docv =
  Cmdliner.Arg.(
    value
    & opt (some string) None
    & info [ "o"; "output" ] ~docv ~doc:"Where to; standard output if not said.")

(* Reports an error of the system to the user, in one line. *)
let guarded f =
  match f () with
  | status -> status
  | exception Sys_error message ->
      prerr_endline message;
      Status.bad_input
