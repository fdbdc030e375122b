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

(* {1 What a boot needs} *)

type tool = {
  programs : string list; (* the possible programs *)
  package : string; (* the Debian package with one of the programs *)
  least : int; (* the least major version; 0: any version *)
}

let tool ?(least = 0) package programs = { programs; package; least }

let known =
  [
    ("qemu", tool "qemu-system-x86" [ "qemu-system-x86_64" ]);
    ( "clang",
      tool "clang, or clang-19" ~least:18
        ("clang" :: List.init 23 (fun i -> Printf.sprintf "clang-%d" (36 - i)))
    );
    ("cc", tool "gcc" [ "cc"; "gcc" ]);
    ("ldd", tool "libc-bin" [ "ldd" ]);
    ("apt-get", tool "apt" [ "apt-get" ]);
    ("apt-cache", tool "apt" [ "apt-cache" ]);
    ("dpkg-deb", tool "dpkg" [ "dpkg-deb" ]);
    ("tar", tool "tar" [ "tar" ]);
  ]

(* The first number of the program's answer to [--version]. A program that does
   not tell its version counts as new. *)
let major path =
  match Scanf.sscanf (read [ path; "--version" ]) "%_[^0-9]%d" (fun n -> n) with
  | n -> n
  | exception (Failed _ | Scanf.Scan_failure _ | Failure _ | End_of_file) ->
      max_int

let lacking { programs; package; least } found =
  let name = List.hd programs in
  match List.rev found with
  | newest :: _ when least > 0 ->
      Printf.sprintf
        "%s %d or later is not installed; %s is version %d (Debian package %s)"
        name least newest (major newest) package
  | _ :: _ | [] ->
      Printf.sprintf "%s is not installed (Debian package %s)" name package

let found_tool ({ programs; least; _ } as tool) =
  let found = List.filter_map find programs in
  let fits path = least = 0 || major path >= least in
  Option.to_result (List.find_opt fits found) ~none:(lacking tool found)

(* {2 libbpf's headers} *)

(* The place of the kernel's headers in a distribution for several
   architectures. *)
let multiarch = "/usr/include/x86_64-linux-gnu"
let include_places = [ "/usr/include"; "/usr/local/include"; multiarch ]

(* libbpf 1.4 is the first with all macros of the generated C. *)
let least_libbpf = (1, 4)

(* The version that the headers in the place define; before 0.6 the headers
   tell none. *)
let version_in place =
  let defined line =
    match String.split_on_char ' ' line with
    | [ "#define"; name; n ] ->
        Option.map (fun n -> (name, n)) (int_of_string_opt n)
    | _ -> None
  in
  match
    In_channel.with_open_bin
      (place ^ "/bpf/libbpf_version.h")
      In_channel.input_lines
  with
  | exception Sys_error _ -> (0, 0)
  | lines ->
      let all = List.filter_map defined lines in
      let value name = Option.value (List.assoc_opt name all) ~default:0 in
      (value "LIBBPF_MAJOR_VERSION", value "LIBBPF_MINOR_VERSION")

(* The C compiler takes the first place of the three. *)
let libbpf_in places =
  let is_there place = Sys.file_exists (place ^ "/bpf/libbpf.h") in
  match List.find_opt is_there places with
  | None -> Error "bpf/libbpf.h is not installed (Debian package libbpf-dev)"
  | Some place ->
      let ((major, minor) as version) = version_in place in
      if version >= least_libbpf then Ok place
      else
        Error
          (Printf.sprintf
             "libbpf 1.4 or later is not installed; %s/bpf has version %d.%d \
              (Debian package libbpf-dev, of Debian 13)"
             place major minor)

let found = function
  | "libbpf" -> libbpf_in include_places
  | name -> found_tool (List.assoc name known)

let need name =
  match found name with Ok path -> path | Error line -> raise (Missing line)

let missing names =
  List.filter_map
    (fun name -> match found name with Ok _ -> None | Error line -> Some line)
    names
