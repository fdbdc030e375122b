type file = { path : string; size : int; dev : int; ino : int }
type t = { files : file array; links : int; errors : (string * string) list }

(* The kind of a directory entry. *)
type entry =
  | File of file
  | Directory of string
  | Link
  | Special
  | Failed of string * string

let entry path stat =
  match stat path with
  | { Unix.st_kind = S_REG; st_size; st_dev; st_ino; _ } ->
      File { path; size = st_size; dev = st_dev; ino = st_ino }
  | { st_kind = S_DIR; _ } -> Directory path
  | { st_kind = S_LNK; _ } -> Link
  | _ -> Special
  | exception Unix.Unix_error (e, _, _) -> Failed (path, Unix.error_message e)

let entries dir =
  Interrupt.check ();
  match Sys.readdir dir with
  | names ->
      Array.map (fun name -> entry (Filename.concat dir name) Unix.lstat) names
  | exception Sys_error reason ->
      (* The runtime's message is "path: reason". *)
      let prefix = dir ^ ": " in
      let n = String.length prefix in
      let reason =
        if String.starts_with ~prefix reason then
          String.sub reason n (String.length reason - n)
        else reason
      in
      [| Failed (dir, reason) |]

(* Leaves of the tree in any order: a rope, with joining in O(1). *)
type found =
  | Nothing
  | One of entry
  | Many of entry array
  | Two of found * found

let join a b =
  match (a, b) with Nothing, x | x, Nothing -> x | a, b -> Two (a, b)

let directories all =
  List.filter_map
    (function Directory d -> Some d | _ -> None)
    (Array.to_list all)

let rec visit (loops : Loops.t) dir =
  let all = entries dir in
  match directories all with
  | [] -> Many all
  | dirs ->
      let dirs = Array.of_list dirs in
      join (Many all)
        (loops.reduce (Array.length dirs)
           (fun i -> visit loops dirs.(i))
           ~combine:join Nothing)

let rec visit_sequentially found = function
  | [] -> found
  | dir :: rest ->
      let all = entries dir in
      visit_sequentially (join (Many all) found) (directories all @ rest)

let collect found =
  let files = ref [] and links = ref 0 and errors = ref [] in
  let rec go = function
    | Nothing -> ()
    | One e -> leaf e
    | Many es -> Array.iter leaf es
    | Two (a, b) ->
        go a;
        go b
  and leaf = function
    | File f -> files := f :: !files
    | Link -> incr links
    | Failed (path, reason) -> errors := (path, reason) :: !errors
    | Directory _ | Special -> ()
  in
  go found;
  let files = Array.of_list !files in
  Array.sort (fun a b -> String.compare a.path b.path) files;
  { files; links = !links; errors = List.sort compare !errors }

let walk visit paths =
  let root found path =
    match entry path Unix.stat with
    | Directory dir -> join found (visit dir)
    | e -> join found (One e)
  in
  collect (List.fold_left root Nothing paths)

let parallel loops paths = walk (visit loops) paths

let sequential paths =
  walk (fun dir -> visit_sequentially Nothing [ dir ]) paths

(* Without this step, the files below a path inside another path, or of a path
   given twice, would be counted twice. *)
let outermost paths =
  let real = List.map (fun p -> (p, Unix.realpath p)) paths in
  let inside a b =
    String.starts_with ~prefix:(if b = "/" then b else b ^ "/") a
  in
  let rec keep kept = function
    | [] -> List.rev_map fst kept
    | (p, r) :: rest ->
        let covers (_, r') = r' = r || inside r r' in
        if
          List.exists covers kept
          || List.exists (fun (_, r') -> inside r r') rest
        then keep kept rest
        else keep ((p, r) :: kept) rest
  in
  keep [] real

let roots paths =
  let bad path =
    match (Unix.stat path).st_kind with
    | S_DIR | S_REG -> None
    | _ -> Some (path ^ ": neither a directory nor a regular file")
    | exception Unix.Unix_error (e, _, _) ->
        Some (path ^ ": " ^ Unix.error_message e)
  in
  match List.find_map bad paths with
  | Some reason -> Error reason
  | None -> Ok (outermost paths)
