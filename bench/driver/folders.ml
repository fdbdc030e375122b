let rec make dir =
  if not (Sys.file_exists dir) then (
    make (Filename.dirname dir);
    Sys.mkdir dir 0o755)
  else if not (Sys.is_directory dir) then
    raise (Sys_error (dir ^ ": not a directory"))

let writable dir =
  make dir;
  Sys.remove (Filename.temp_file ~temp_dir:dir "dromos" ".tmp")

let rec remove path =
  match (Unix.lstat path).st_kind with
  | S_DIR ->
      Array.iter (fun f -> remove (Filename.concat path f)) (Sys.readdir path);
      Sys.rmdir path
  | _ -> Sys.remove path

let temporary prefix =
  let dir = Filename.temp_dir prefix "" in
  at_exit (fun () -> remove dir);
  dir

let fill dir files =
  let write (path, text) =
    let path = Filename.concat dir path in
    make (Filename.dirname path);
    Out_channel.with_open_bin path (fun oc -> output_string oc text)
  in
  List.iter write files
