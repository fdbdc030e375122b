exception Missing of string
exception Failed of string

let directories () =
  let path = Option.value (Sys.getenv_opt "PATH") ~default:"/usr/bin:/bin" in
  String.split_on_char ':' path @ [ "/usr/local/sbin"; "/usr/sbin"; "/sbin" ]

let is_program path =
  match Unix.access path [ X_OK ] with
  | () -> not (Sys.is_directory path)
  | exception Unix.Unix_error _ -> false

let find name =
  List.find_map
    (fun directory ->
      let path = Filename.concat directory name in
      if is_program path then Some path else None)
    (directories ())

(* For each tool: the name, the possible programs, and the package with one. *)
let known =
  [
    ("qemu", ([ "qemu-system-x86_64" ], "qemu-system-x86"));
    ( "clang",
      ( "clang" :: List.init 20 (fun i -> Printf.sprintf "clang-%d" (33 - i)),
        "clang" ) );
    ("cc", ([ "cc"; "gcc" ], "gcc"));
    ("ldd", ([ "ldd" ], "libc-bin"));
    ("apt-get", ([ "apt-get" ], "apt"));
    ("apt-cache", ([ "apt-cache" ], "apt"));
    ("dpkg-deb", ([ "dpkg-deb" ], "dpkg"));
    ("tar", ([ "tar" ], "tar"));
  ]

let found name =
  let programs, package = List.assoc name known in
  match List.find_map find programs with
  | Some path -> Ok path
  | None ->
      Error
        (Printf.sprintf "%s is not installed (Debian package %s)"
           (List.hd programs) package)

let need name =
  match found name with Ok path -> path | Error line -> raise (Missing line)

let missing names =
  List.filter_map
    (fun name -> match found name with Ok _ -> None | Error line -> Some line)
    names

let rec wait pid =
  match Unix.waitpid [] pid with
  | _, status -> status
  | exception Unix.Unix_error (EINTR, _, _) -> wait pid

(* The status of the program, after [f]. A signal during [f] or the wait stops
   the program. *)
let followed pid f =
  match
    Interrupt.late ();
    f ();
    wait pid
  with
  | status -> status
  | exception (Interrupt.By _ as e) ->
      (try Unix.kill pid Sys.sigterm with Unix.Unix_error _ -> ());
      ignore (wait pid : Unix.process_status);
      raise e

let ended command errors = function
  | Unix.WEXITED 0 -> ()
  | _ ->
      let said = String.trim errors in
      let said = if said = "" then "it failed and said nothing" else said in
      raise (Failed (Filename.basename (List.hd command) ^ ": " ^ said))

let started f = function
  | [] -> invalid_arg "Tools: no command"
  | program :: _ as command -> (
      try f program (Array.of_list command)
      with Unix.Unix_error (e, _, _) ->
        raise (Failed (program ^ ": " ^ Unix.error_message e)))

let with_null f =
  let null = Unix.openfile "/dev/null" [ O_RDONLY; O_CLOEXEC ] 0 in
  Interrupt.protect ~finally:(fun () -> Unix.close null) (fun () -> f null)

(* Errors go to a file, so that only one pipe has to be read. *)
let read command =
  let file = Filename.temp_file "dromos" ".errors" in
  Interrupt.protect ~finally:(fun () -> Sys.remove file) @@ fun () ->
  let errors = Unix.openfile file [ O_WRONLY; O_CLOEXEC ] 0o600 in
  let output, there = Unix.pipe ~cloexec:true () in
  let pid =
    Interrupt.put_off @@ fun () ->
    Interrupt.protect
      ~finally:(fun () ->
        Unix.close there;
        Unix.close errors)
      (fun () ->
        with_null (fun null ->
            started
              (fun program argv ->
                Unix.create_process program argv null there errors)
              command))
  in
  let text = ref "" in
  let status =
    Interrupt.protect ~finally:(fun () -> Unix.close output) @@ fun () ->
    followed pid (fun () ->
        text := In_channel.input_all (Unix.in_channel_of_descr output))
  in
  let said = In_channel.with_open_bin file In_channel.input_all in
  ended command said status;
  !text

let run command =
  let pid =
    Interrupt.put_off @@ fun () ->
    with_null (fun null ->
        started
          (fun program argv ->
            Unix.create_process program argv null Unix.stderr Unix.stderr)
          command)
  in
  ended command "its own words are above" (followed pid ignore)
