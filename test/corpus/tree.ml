let rec remove path =
  match (Unix.lstat path).st_kind with
  | S_DIR ->
      Unix.chmod path 0o700;
      Array.iter (fun n -> remove (Filename.concat path n)) (Sys.readdir path);
      Unix.rmdir path
  | _ -> Unix.unlink path

let fresh f =
  let dir = Filename.temp_dir "corpus" "" in
  Fun.protect ~finally:(fun () -> remove dir) (fun () -> f dir)

let rec make_dir dir =
  if not (Sys.file_exists dir) then begin
    make_dir (Filename.dirname dir);
    Unix.mkdir dir 0o700
  end

let write dir path content =
  let path = Filename.concat dir path in
  make_dir (Filename.dirname path);
  Out_channel.with_open_bin path (fun oc -> output_string oc content)
