open Documents
open Lwt.Syntax

let query (engine : Engine.t) store f =
  engine.block (fun () -> Store.Connections.use store f)

let letters text =
  String.map
    (fun c ->
      match Char.lowercase_ascii c with
      | ('a' .. 'z' | '0' .. '9' | '_' | '\128' .. '\255') as c -> c
      | _ -> ' ')
    text

let words uri =
  match Uri.get_query_param uri "q" with
  | None -> []
  | Some q when not (String.is_valid_utf_8 q) ->
      Answer.refuse `Bad_request "q is not UTF-8"
  | Some q -> List.filter (( <> ) "") (String.split_on_char ' ' (letters q))

let search (engine : Engine.t) store uri =
  let words = words uri in
  let limit =
    Answer.parameter uri "limit" Value.limit ~what:"a number from 1 to 100"
  in
  let limit = Option.value limit ~default:5 in
  let read () = Store.Connections.use store (Store.search ~words ~limit) in
  (* The passages are computed beside the jobs. *)
  let with_passage (hit : Store.hit) = (hit, Similar.passage hit.marked) in
  let* found = engine.ask read (List.map with_passage) in
  let hit ((hit : Store.hit), passage) =
    `Assoc
      [
        ("id", `Int hit.document);
        ("title", `String hit.name);
        ("passage", `String passage);
      ]
  in
  Answer.json (`Assoc [ ("documents", `List (List.map hit found)) ])

let document engine store id =
  let* found = query engine store (fun db -> Store.document db id) in
  match found with
  | Some (d : Store.document) ->
      Answer.json
        (`Assoc
           [
             ("id", `Int d.id);
             ("title", `String d.title);
             ("text", `String d.text);
           ])
  | None -> Answer.refuse `Not_found "there is no document %d" id

let add engine store ~largest connection =
  let* json = Answer.body ~most:largest connection in
  let need name =
    match Answer.field json name (Value.text name) ~what:"a string" with
    | Some s -> s
    | None -> Answer.refuse `Bad_request "%s is missing" name
  in
  let title = need "title" and text = need "text" in
  let* id = Lwt.no_cancel (query engine store (Store.add ~title ~text)) in
  Answer.json ~status:`Created
    ~headers:[ ("location", Printf.sprintf "/documents/%d" id) ]
    (`Assoc [ ("id", `Int id) ])
