let rec make path =
  if not (Sys.file_exists path) then begin
    make (Filename.dirname path);
    try Unix.mkdir path 0o755 with Unix.Unix_error (EEXIST, _, _) -> ()
  end

let root () =
  let full path = path <> "" && not (Filename.is_relative path) in
  match Sys.getenv_opt "XDG_CACHE_HOME" with
  | Some path when full path -> path
  | Some _ | None -> (
      match Sys.getenv_opt "HOME" with
      | Some home when full home -> Filename.concat home ".cache"
      | Some _ | None -> Filename.get_temp_dir_name ())

let directory name =
  let path = Filename.concat (Filename.concat (root ()) "dromos") name in
  make path;
  path

let rec remove path =
  match Unix.lstat path with
  | { st_kind = S_DIR; _ } ->
      Array.iter
        (fun name -> remove (Filename.concat path name))
        (Sys.readdir path);
      Unix.rmdir path
  | _ -> Unix.unlink path
  | exception Unix.Unix_error _ -> ()

(* A failed write of buffered text shows when the text is flushed. *)
let write path text =
  Out_channel.with_open_bin path @@ fun out ->
  try
    output_string out text;
    flush out
  with Sys_error why -> raise (Sys_error (path ^ ": " ^ why))

let filled path fill =
  if not (Sys.file_exists path) then begin
    make (Filename.dirname path);
    let fresh =
      Filename.concat (Filename.dirname path)
        (Printf.sprintf ".%d-%s" (Unix.getpid ()) (Filename.basename path))
    in
    Interrupt.protect ~finally:(fun () -> remove fresh) @@ fun () ->
    remove fresh;
    make fresh;
    fill fresh;
    (* Another process may have been quicker; its folder is as good. *)
    try Unix.rename fresh path
    with Unix.Unix_error _ when Sys.file_exists path -> ()
  end;
  path
