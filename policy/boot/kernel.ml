type t = { image : string; release : string; origin : string }

exception None_found of string

(* {1 Required options} *)

let needed = [ "CONFIG_SCHED_CLASS_EXT"; "CONFIG_DEBUG_INFO_BTF" ]

let lacks config =
  let lines = String.split_on_char '\n' config in
  List.filter (fun option -> not (List.mem (option ^ "=y") lines)) needed

let plain = "vmlinuz"
let prefix = plain ^ "-"

(* /boot/vmlinuz-RELEASE, or /usr/lib/modules/RELEASE/vmlinuz. *)
let release_of image =
  let name = Filename.basename image in
  if name = plain then Filename.basename (Filename.dirname image)
  else if String.starts_with ~prefix name then
    let n = String.length prefix in
    String.sub name n (String.length name - n)
  else name

(* The configuration lies beside the image, if it exists. Without a
   configuration, the guest reports what its kernel lacks. *)
let config_of image =
  let beside = Filename.concat (Filename.dirname image) in
  let names = [ "config-" ^ release_of image ] in
  let names =
    if Filename.basename image = plain then names @ [ "config" ] else names
  in
  List.find_map
    (fun name ->
      match In_channel.with_open_bin (beside name) In_channel.input_all with
      | text -> Some text
      | exception Sys_error _ -> None)
    names

let lacking image = Option.fold ~none:[] ~some:lacks (config_of image)

let version text =
  let rec parts from =
    let n = String.length text in
    let rec upto i =
      if i < n && text.[i] >= '0' && text.[i] <= '9' then upto (i + 1) else i
    in
    let until = upto from in
    if until = from then []
    else
      let part = int_of_string (String.sub text from (until - from)) in
      if until < n && text.[until] = '.' then part :: parts (until + 1)
      else [ part ]
  in
  parts 0

let newest_first of_item items =
  List.sort
    (fun a b -> compare (version (of_item b)) (version (of_item a)))
    items

(* {1 Images in a folder} *)

let images directory =
  let names = try Sys.readdir directory with Sys_error _ -> [||] in
  Array.to_list names
  |> List.filter (String.starts_with ~prefix)
  |> List.map (Filename.concat directory)
  |> newest_first release_of

let readable path =
  match Unix.access path [ R_OK ] with
  | () -> true
  | exception Unix.Unix_error _ -> false

let kernel origin image = { image; release = release_of image; origin }

let fit directory origin =
  images directory
  |> List.find_opt (fun image -> readable image && lacking image = [])
  |> Option.map (kernel origin)

(* This machine's own kernel is used only if its configuration shows that it is
   fit. *)
let own () =
  images "/boot"
  |> List.find_opt (fun image ->
         readable image && config_of image <> None && lacking image = [])
  |> Option.map (kernel "this machine's own")

(* {1 Packages} *)

let folder () = Cache.directory "kernel"

(* Keeps only the image and its configuration, named as in /boot: the modules
   are ten times as large. *)
let keep_image all into =
  let keep image =
    let release = release_of image in
    let place name = Filename.concat into (name ^ "-" ^ release) in
    Option.iter
      (fun text ->
        Out_channel.with_open_bin (place "config") (fun out ->
            output_string out text))
      (config_of image);
    Sys.rename image (place plain)
  in
  let modules = Filename.concat all "usr/lib/modules" in
  let releases = try Sys.readdir modules with Sys_error _ -> [||] in
  let new_place release =
    List.fold_left Filename.concat modules [ release; plain ]
  in
  images (Filename.concat all "boot")
  @ List.filter Sys.file_exists (List.map new_place (Array.to_list releases))
  |> List.iter keep

let unpacked deb =
  let name = Filename.remove_extension (Filename.basename deb) in
  Cache.filled
    (Filename.concat (folder ()) name)
    (fun into ->
      let all = Filename.concat into "all" in
      Cache.make all;
      Tools.run [ Tools.need "dpkg-deb"; "-x"; deb; all ];
      keep_image all into;
      Cache.remove all;
      if images into = [] then raise (None_found (deb ^ " has no kernel in it")))

let cached () =
  let folder = folder () in
  Sys.readdir folder |> Array.to_list |> newest_first Fun.id
  |> List.filter (fun name -> not (String.starts_with ~prefix:"." name))
  |> List.concat_map (fun name -> images (Filename.concat folder name))
  |> newest_first release_of
  |> List.find_opt (fun image -> lacking image = [])
  |> Option.map (kernel "fetched before")

let suffix = "-cloud-amd64"

(* Debian's kernels have sched_ext since 6.13. Since 6.19 the image is in a
   package of its own. *)
let offered text =
  let release package name =
    let n = String.length name in
    if
      String.starts_with ~prefix:name package
      && String.ends_with ~suffix package
    then Some (version (String.sub package n (String.length package - n)))
    else None
  in
  String.split_on_char '\n' text
  |> List.filter_map (fun line ->
         let package = List.hd (String.split_on_char ' ' line) in
         match
           (release package "linux-binary-", release package "linux-image-")
         with
         | Some (_ :: _ :: _ as v), _ -> Some (v, package)
         | None, Some (_ :: _ :: _ as v) when v >= [ 6; 13 ] && v < [ 6; 19 ] ->
             Some (v, package)
         | _ -> None)
  |> List.sort (fun a b -> compare b a)
  |> List.map snd

let search options =
  offered
    (Tools.read
       ((Tools.need "apt-cache" :: options)
       @ [
           "search";
           "--names-only";
           "^linux-(image|binary)-[0-9].*" ^ suffix ^ "$";
         ]))

(* The mirror of this machine's own packages. *)
let mirror () =
  Tools.read
    [
      Tools.need "apt-get";
      "indextargets";
      "--format";
      "$(REPO_URI) $(CODENAME) $(CREATED_BY)";
    ]
  |> String.split_on_char '\n'
  |> List.find_map (fun line ->
         match String.split_on_char ' ' line with
         | [ uri; ("bookworm" | "trixie" | "forky" | "sid"); "Packages" ] ->
             Some uri
         | _ -> None)

let suite = "trixie-backports"

(* Uses package lists in a temporary folder, so that the machine does not change
   and the user need not be root. *)
let with_backports ~say f =
  match mirror () with
  | None -> None
  | Some uri ->
      let state = Filename.temp_dir "dromos" ".apt" in
      Interrupt.protect ~finally:(fun () -> Cache.remove state) @@ fun () ->
      let sources = Filename.concat state "sources.list" in
      Out_channel.with_open_bin sources (fun out ->
          Printf.fprintf out
            "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s \
             %s main\n"
            uri suite);
      List.iter
        (fun name -> Cache.make (Filename.concat state name))
        [ "lists/partial"; "cache/archives/partial" ];
      let options =
        List.concat_map
          (fun setting -> [ "-o"; setting ])
          [
            "Dir::Etc::SourceList=" ^ sources;
            "Dir::Etc::SourceParts=/dev/null";
            "Dir::State::Lists=" ^ Filename.concat state "lists";
            "Dir::Cache=" ^ Filename.concat state "cache";
            "APT::Sandbox::User=root";
          ]
      in
      say ("reading the list of packages of " ^ suite);
      ignore
        (Tools.read ((Tools.need "apt-get" :: options) @ [ "-qq"; "update" ]));
      f options

let fetched ~say options package =
  let place = Filename.temp_dir "dromos" ".deb" in
  Interrupt.protect ~finally:(fun () -> Cache.remove place) @@ fun () ->
  say ("fetching " ^ package ^ " (15 to 50 MB)");
  (* apt-get puts the package into the current directory. *)
  let apt =
    (Tools.need "apt-get" :: options)
    @ [ "-o"; "APT::Sandbox::User=root"; "download"; package ]
  in
  Tools.run
    ([ "/bin/sh"; "-c"; "cd \"$1\" && shift && exec \"$@\""; "sh"; place ] @ apt);
  match Sys.readdir place with
  | [| deb |] -> unpacked (Filename.concat place deb)
  | _ -> raise (None_found ("apt-get did not bring " ^ package))

let advice =
  "dromos: no kernel with sched_ext is here: name one (--kernel IMAGE, or \
   Debian's package linux-binary-..-cloud-amd64)"

let first_of ~say options =
  match search options with
  | [] -> None
  | package :: _ -> fit (fetched ~say options package) ("package " ^ package)

let from_apt ~say =
  if Tools.find "apt-get" = None then None
  else
    match first_of ~say [] with
    | Some kernel -> Some kernel
    | None -> with_backports ~say (first_of ~say)

(* {1 The choice} *)

let refuse_lacking image =
  match lacking image with
  | [] -> ()
  | options ->
      raise
        (None_found
           (Printf.sprintf "%s cannot run policies: its configuration lacks %s"
              image
              (String.concat ", " options)))

let named path =
  if not (Sys.file_exists path) then
    raise (None_found (path ^ ": no such file"));
  if Sys.is_directory path then
    raise (None_found (path ^ " is a folder, and no kernel"));
  let image =
    if Filename.check_suffix path ".deb" then
      match images (unpacked path) with
      | image :: _ -> image
      | [] -> raise (None_found (path ^ " has no kernel in it"))
    else path
  in
  refuse_lacking image;
  kernel "as told" image

let here () = match cached () with Some k -> Some k | None -> own ()

let choose ~say = function
  | Some path -> named path
  | None -> (
      match here () with
      | Some kernel -> kernel
      | None -> (
          match from_apt ~say with
          | Some kernel -> kernel
          | None -> raise (None_found advice)))
