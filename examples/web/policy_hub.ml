let fail fmt = Printf.ksprintf failwith fmt

(* The program is _build/default/examples/web/main.exe, or hh/main.exe beside it. *)
let rec root dir =
  if Sys.file_exists (Filename.concat dir "policy/runtime") then dir
  else
    let up = Filename.dirname dir in
    if up = dir then
      fail
        "--policy needs the tree in which this program was built: \
         policy/runtime is not above %s"
        (Filename.dirname Sys.executable_name)
    else root up

let root () = root (Filename.dirname (Unix.realpath Sys.executable_name))

(* The folders below [dir] in which dune keeps compiled libraries. *)
let rec compiled dir =
  let inside name =
    let path = Filename.concat dir name in
    if not (Sys.is_directory path) then []
    else if Filename.check_suffix name ".objs" then
      List.filter Sys.file_exists
        [ Filename.concat path "byte"; Filename.concat path "native" ]
    else if name.[0] = '.' then []
    else compiled path
  in
  List.concat_map inside (Array.to_list (Sys.readdir dir))

(* Runs a program. If the program fails, its output is the message of the
   failure. *)
let run what arguments =
  let said = Filename.temp_file "web" ".txt" in
  Fun.protect
    ~finally:(fun () -> Sys.remove said)
    (fun () ->
      let command =
        Filename.quote_command (List.hd arguments) (List.tl arguments)
          ~stdout:said ~stderr:said
      in
      if Sys.command command <> 0 then
        fail "%s\n%s" what
          (String.trim (In_channel.with_open_bin said In_channel.input_all)))

let compiler root =
  let own = Filename.concat root "bin/main.exe" in
  if Sys.file_exists own then own else "dromos"

let plug_in ~root ~dir file =
  let source = Filename.concat dir "policy_hub_plug_in.ml" in
  let plug_in = Filename.concat dir "policy_hub_plug_in.cmxs" in
  run
    (Printf.sprintf "%s is not compiled:" file)
    [ compiler root; "policy"; "compile"; file; "-o"; source ];
  Out_channel.with_open_gen [ Open_append; Open_binary ] 0o600 source
    (fun out -> output_string out "\nlet () = Web_plugin.register maker\n");
  let folders =
    List.concat_map
      (fun folder -> compiled (Filename.concat root folder))
      [ "lib"; "policy/runtime"; "examples/web/plugin" ]
  in
  run
    (Printf.sprintf "the hub of %s is not compiled:" file)
    ([ "ocamlfind"; "ocamlopt"; "-shared"; "-w"; "-a"; "-inline"; "200" ]
    @ List.concat_map (fun folder -> [ "-I"; folder ]) folders
    @ [ "-o"; plug_in; source ]);
  plug_in

let remove dir =
  Array.iter
    (fun name -> Sys.remove (Filename.concat dir name))
    (Sys.readdir dir);
  Sys.rmdir dir

let load file =
  if not (Sys.file_exists file) then fail "there is no file %s" file;
  if not Dynlink.is_native then fail "--policy needs native code";
  let dir = Filename.temp_dir "web" "" in
  Fun.protect
    ~finally:(fun () -> remove dir)
    (fun () ->
      match Dynlink.loadfile_private (plug_in ~root:(root ()) ~dir file) with
      | () -> (
          match Web_plugin.registered () with
          | Some maker ->
              Dromos.Hub.v
                ~name:(Filename.remove_extension (Filename.basename file))
                maker
          | None -> fail "%s left no hub" file)
      | exception Dynlink.Error e ->
          fail "the hub of %s is not loaded: %s" file (Dynlink.error_message e))
