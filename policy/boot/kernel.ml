type t = { image : string; release : string; origin : string }

exception None_found of string

(* {1 What it must have} *)

let needed = [ "CONFIG_SCHED_CLASS_EXT"; "CONFIG_DEBUG_INFO_BTF" ]

let lacks config =
  let lines = String.split_on_char '\n' config in
  List.filter (fun option -> not (List.mem (option ^ "=y") lines)) needed

let prefix = "vmlinuz-"

let release_of image =
  let name = Filename.basename image in
  if String.starts_with ~prefix name then
    let n = String.length prefix in
    String.sub name n (String.length name - n)
  else name

(* The configuration lies beside the image, if it is there at all; where it is not
   the guest will tell. *)
let lacking image =
  let config =
    Filename.concat (Filename.dirname image) ("config-" ^ release_of image)
  in
  match In_channel.with_open_bin config In_channel.input_all with
  | text -> lacks text
  | exception Sys_error _ -> []

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

let has_config image =
  Sys.file_exists
    (Filename.concat (Filename.dirname image) ("config-" ^ release_of image))

(* This machine's own only where its configuration says that it will do. *)
let own () =
  images "/boot"
  |> List.find_opt (fun image ->
         readable image && has_config image && lacking image = [])
  |> Option.map (kernel "this machine's own")

(* {1 Packages} *)

let folder () = Cache.directory "kernel"

(* Only what is booted: the modules are ten times as much. *)
let unpacked deb =
  let name = Filename.remove_extension (Filename.basename deb) in
  let place =
    Cache.filled
      (Filename.concat (folder ()) name)
      (fun into ->
        let all = Filename.concat into "all" in
        Cache.make all;
        Tools.run [ Tools.need "dpkg-deb"; "-x"; deb; all ];
        let boot = Filename.concat all "boot" in
        if not (Sys.file_exists boot) then
          raise (None_found (deb ^ " has no kernel in it"));
        Unix.rename boot (Filename.concat into "boot");
        Cache.remove all)
  in
  Filename.concat place "boot"

let cached () =
  let folder = folder () in
  Sys.readdir folder |> Array.to_list |> newest_first Fun.id
  |> List.filter (fun name -> not (String.starts_with ~prefix:"." name))
  |> List.concat_map (fun name ->
         images (Filename.concat (Filename.concat folder name) "boot"))
  |> newest_first release_of
  |> List.find_opt (fun image -> lacking image = [])
  |> Option.map (kernel "fetched before")

let package_prefix = "linux-image-"
let package_suffix = "-cloud-amd64"

(* Debian's kernels have sched_ext from 6.13 on. *)
let offered text =
  let version_of package =
    let n = String.length package_prefix in
    version (String.sub package n (String.length package - n))
  in
  String.split_on_char '\n' text
  |> List.filter_map (fun line ->
         match String.split_on_char ' ' line with
         | package :: _
           when String.starts_with ~prefix:package_prefix package
                && String.ends_with ~suffix:package_suffix package ->
             Some package
         | _ -> None)
  |> List.filter (fun package ->
         match version_of package with
         | _ :: _ :: _ as v -> v >= [ 6; 13 ]
         | _ -> false)
  |> List.sort (fun a b -> compare (version_of b) (version_of a))

let search options =
  offered
    (Tools.read
       ((Tools.need "apt-cache" :: options)
       @ [
           "search";
           "--names-only";
           "^" ^ package_prefix ^ "[0-9].*" ^ package_suffix ^ "$";
         ]))

(* The mirror that this machine has its own packages from. *)
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

(* Lists of our own, so that nothing changes for the machine and nobody has to be
   root. *)
let with_backports ~say f =
  match mirror () with
  | None -> None
  | Some uri ->
      let state = Filename.temp_dir "dromos" ".apt" in
      Fun.protect ~finally:(fun () -> Cache.remove state) @@ fun () ->
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
  Fun.protect ~finally:(fun () -> Cache.remove place) @@ fun () ->
  say ("fetching " ^ package ^ " (35 to 50 MB)");
  (* It is put where one is. *)
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
   Debian's package linux-image-..-cloud-amd64 of 6.13 or later)"

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
  let image =
    if Filename.check_suffix path ".deb" then
      match images (unpacked path) with
      | image :: _ -> image
      | [] -> raise (None_found (path ^ " has no kernel in it"))
    else path
  in
  refuse_lacking image;
  kernel "as told" image

let choose ~say = function
  | Some path -> named path
  | None -> (
      let first = List.find_map (fun look -> look ()) in
      match first [ cached; own; (fun () -> from_apt ~say) ] with
      | Some kernel -> kernel
      | None -> raise (None_found advice))
