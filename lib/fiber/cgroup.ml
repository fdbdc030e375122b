type version = V1 | V2

(* {1 Formats} *)

let words text =
  String.map (function '\n' | '\t' -> ' ' | c -> c) text
  |> String.split_on_char ' '
  |> List.filter (( <> ) "")

let of_numbers quota period =
  match (int_of_string_opt quota, int_of_string_opt period) with
  | Some quota, Some period when quota > 0 && period > 0 ->
      Some (((quota - 1) / period) + 1)
  | _ -> None

let of_max text =
  match words text with
  | [ quota; period ] -> of_numbers quota period
  | [ quota ] -> of_numbers quota "100000" (* the kernel's default *)
  | _ -> None

let of_cfs ~quota ~period =
  match (words quota, words period) with
  | [ quota ], [ period ] -> of_numbers quota period
  | _ -> None

let lines = String.split_on_char '\n'
let with_cpu controllers = List.mem "cpu" (String.split_on_char ',' controllers)

(* The path is the rest of the line and may contain colons. *)
let group version text =
  let of_line line =
    match String.split_on_char ':' line with
    | number :: controllers :: (_ :: _ as path) ->
        let here =
          match version with
          | V2 -> number = "0" && controllers = ""
          | V1 -> with_cpu controllers
        in
        if here then Some (String.concat ":" path) else None
    | _ -> None
  in
  List.find_map of_line (lines text)

(* Spaces in paths are written as [\040]. *)
let unescape text =
  let b = Buffer.create (String.length text) in
  let rec go i =
    if i < String.length text then
      let code =
        if text.[i] = '\\' && i + 3 < String.length text then
          int_of_string_opt ("0o" ^ String.sub text (i + 1) 3)
        else None
      in
      match code with
      | Some code when code < 256 ->
          Buffer.add_char b (Char.chr code);
          go (i + 4)
      | Some _ | None ->
          Buffer.add_char b text.[i];
          go (i + 1)
  in
  go 0;
  Buffer.contents b

(* The fields of a line: number, parent, device, root, mount point, options, and
   after a dash the type, the source and the options of the file system. *)
let mounts version text =
  let rec after_dash = function
    | "-" :: rest -> rest
    | _ :: rest -> after_dash rest
    | [] -> []
  in
  let of_line line =
    match words line with
    | _ :: _ :: _ :: root :: point :: rest -> (
        match (version, after_dash rest) with
        | V2, "cgroup2" :: _ -> Some (unescape root, unescape point)
        | V1, [ "cgroup"; _; options ] when with_cpu options ->
            Some (unescape root, unescape point)
        | _ -> None)
    | _ -> None
  in
  List.filter_map of_line (lines text)

(* {1 Files} *)

let read file =
  match In_channel.with_open_bin file In_channel.input_all with
  | text -> text
  | exception Sys_error _ -> ""

let quota_in version directory =
  let read name = read (Filename.concat directory name) in
  match version with
  | V2 -> of_max (read "cpu.max")
  | V1 ->
      of_cfs ~quota:(read "cpu.cfs_quota_us") ~period:(read "cpu.cfs_period_us")

(* The group's path below the mount point, as names. A group outside the mounted
   part (a container hides the rest) has the mount point alone. *)
let below ~mounted group =
  let names path = List.filter (( <> ) "") (String.split_on_char '/' path) in
  let rec strip mounted group =
    match (mounted, group) with
    | [], rest -> rest
    | a :: mounted, b :: rest when a = b -> strip mounted rest
    | _ -> []
  in
  let rest = strip (names mounted) (names group) in
  if List.mem ".." rest then [] else rest

(* The mount point, and the directories on the way down to the group. *)
let directories point names =
  let down dirs name = Filename.concat (List.hd dirs) name :: dirs in
  List.fold_left down [ point ] names

let smallest = List.fold_left Int.min max_int

let cpus ?(root = "") () =
  let read name = read (root ^ name) in
  let groups = read "/proc/self/cgroup" in
  let mounted = read "/proc/self/mountinfo" in
  let of_version version =
    match group version groups with
    | None -> []
    | Some group ->
        mounts version mounted
        |> List.concat_map (fun (at, point) ->
               directories (root ^ point) (below ~mounted:at group))
        |> List.filter_map (quota_in version)
  in
  match of_version V2 @ of_version V1 with
  | [] -> None
  | quotas -> Some (smallest quotas)
