type group = { size : int; paths : string list; spare : int }
type t = { groups : group list; errors : (string * string) list }

(* Candidate groups by size and digest, in order. A file without a twin is left
   out. *)
let candidates (files : Walk.file array) statuses =
  let table = Hashtbl.create 1024 in
  Array.iteri
    (fun i (status : Scan.status) ->
      match status with
      | Text { bytes; digest; _ } when digest <> "" && bytes > 0 ->
          let key = (bytes, digest) in
          let others = Option.value (Hashtbl.find_opt table key) ~default:[] in
          Hashtbl.replace table key (files.(i) :: others)
      | Text _ | Binary | Unreadable _ -> ())
    statuses;
  Hashtbl.fold
    (fun (bytes, _) files found ->
      match files with
      | _ :: _ :: _ -> (bytes, List.rev files) :: found
      | _ -> found)
    table []
  |> Array.of_list

let equal (a, n) (b, m) =
  n = m && Bytes.equal (Bytes.sub a 0 n) (Bytes.sub b 0 m)

let group size (files : Walk.file list) =
  let inodes =
    List.sort_uniq compare
      (List.map (fun (f : Walk.file) -> (f.dev, f.ino)) files)
  in
  {
    size;
    paths = List.map (fun (f : Walk.file) -> f.path) files;
    spare = size * (List.length inodes - 1);
  }

(* Splits candidates into classes of equal bytes, each with the content of its
   first file. Nearly always there is a single class. *)
let split progress (size, (files : Walk.file list)) =
  let classes = ref [] and errors = ref [] in
  List.iter
    (fun (file : Walk.file) ->
      Interrupt.check ();
      (match Text.read file.path with
      | Error reason -> errors := (file.path, reason) :: !errors
      | Ok Binary ->
          errors := (file.path, "changed while it was looked at") :: !errors
      | Ok (Text (buffer, length)) -> (
          let content = (buffer, length) in
          match List.find_opt (fun (c, _) -> equal c content) !classes with
          | Some (_, members) -> members := file :: !members
          | None -> classes := (content, ref [ file ]) :: !classes));
      Progress.step progress 1)
    files;
  let groups =
    List.filter_map
      (fun (_, members) ->
        match !members with
        | _ :: _ :: _ -> Some (group size (List.rev !members))
        | _ -> None)
      !classes
  in
  { groups; errors = !errors }

let append a b = { groups = a.groups @ b.groups; errors = a.errors @ b.errors }
let nothing = { groups = []; errors = [] }

let sort t =
  let before a b =
    match Int.compare b.spare a.spare with
    | 0 -> compare a.paths b.paths
    | c -> c
  in
  { groups = List.sort before t.groups; errors = List.sort compare t.errors }

let by loop progress files statuses =
  let candidates = candidates files statuses in
  sort
    (loop (Array.length candidates)
       (fun i -> split progress candidates.(i))
       ~combine:append nothing)

let parallel (loops : Loops.t) progress files statuses =
  by loops.reduce progress files statuses

let sequential progress files statuses =
  sort
    (Array.fold_left
       (fun found c -> append found (split progress c))
       nothing
       (candidates files statuses))
