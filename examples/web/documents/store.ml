open Sql

type t = Sql.t

let tables =
  {|CREATE TABLE IF NOT EXISTS documents(
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
      title, text, content='documents', content_rowid='id');
    CREATE TABLE IF NOT EXISTS jobs(
      id INTEGER PRIMARY KEY, at_least REAL, compared INTEGER, pairs INTEGER,
      seconds REAL);
    CREATE TABLE IF NOT EXISTS pairs(
      job INTEGER, a INTEGER, b INTEGER, common REAL);
    CREATE INDEX IF NOT EXISTS pairs_of_job ON pairs(job, common);|}

(* The first version kept finished jobs only. *)
let tables_of_1 =
  {|ALTER TABLE jobs ADD COLUMN state TEXT NOT NULL DEFAULT 'finished';
    ALTER TABLE jobs ADD COLUMN documents TEXT;
    ALTER TABLE jobs ADD COLUMN watched INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN error TEXT;
    PRAGMA user_version = 1;|}

let version db = number db "PRAGMA user_version"

let make_tables db =
  if version db < 1 then
    transaction db (fun () ->
        (* Another connection may have been first. *)
        if version db < 1 then begin
          run db tables;
          run db tables_of_1
        end)

let connect file =
  let db = open_ file in
  match
    patience db;
    run db "PRAGMA journal_mode = WAL";
    run db "PRAGMA synchronous = NORMAL";
    make_tables db
  with
  | () -> db
  | exception e ->
      close db;
      raise e

let close = close

(* {1 Documents} *)

type document = { id : int; title : string; text : string }

let to_document row =
  { id = to_int row.(0); title = to_string row.(1); text = to_string row.(2) }

let insert db (title, content) =
  change db "INSERT INTO documents(title, text) VALUES (?, ?)"
    [ text title; text content ];
  let id = last_row db in
  change db "INSERT INTO words(rowid, title, text) VALUES (?, ?, ?)"
    [ int id; text title; text content ];
  id

let add db ~title ~text = transaction db (fun () -> insert db (title, text))

let fill db documents =
  transaction db (fun () ->
      List.iter (fun d -> ignore (insert db d : int)) documents)

let count db = number db "SELECT count(*) FROM documents"

let document db id =
  let found =
    query db "SELECT id, title, text FROM documents WHERE id = ?"
      [ int id ]
      to_document
  in
  List.nth_opt found 0

type hit = { document : int; name : string; marked : string }

let to_hit row =
  {
    document = to_int row.(0);
    name = to_string row.(1);
    marked = to_string row.(2);
  }

(* The index says which words it has found: it knows more letters than ASCII's,
   and cuts words at an underscore. *)
let search db ~words ~limit =
  match words with
  | [] ->
      query db "SELECT id, title, text FROM documents ORDER BY id LIMIT ?"
        [ int limit ]
        to_hit
  | _ ->
      let quoted = List.map (fun w -> "\"" ^ w ^ "\"") words in
      query db
        "SELECT d.id, d.title, highlight(words, 1, ?, ?) FROM words w JOIN \
         documents d ON d.id = w.rowid WHERE words MATCH ? ORDER BY w.rank \
         LIMIT ?"
        [
          text Similar.opening;
          text Similar.closing;
          text (String.concat " " quoted);
          int limit;
        ]
        to_hit

let documents db = function
  | None ->
      ( query db "SELECT id, title, text FROM documents ORDER BY id" []
          to_document,
        [] )
  | Some ids ->
      List.partition_map
        (fun id ->
          match document db id with Some d -> Left d | None -> Right id)
        (List.sort_uniq Int.compare ids)

(* {1 Jobs} *)

type state =
  | Waiting
  | Running
  | Finished of { compared : int; pairs : int; seconds : float }
  | Cancelled
  | Failed of string
  | Lost

type job = {
  number : int;
  at_least : float;
  chosen : int list option;
  state : state;
}

let of_list l = String.concat "," (List.map string_of_int l)

let to_list = function
  | "" -> []
  | s -> List.filter_map int_of_string_opt (String.split_on_char ',' s)

let accept db ~at_least ~documents ~watched =
  let chosen =
    match documents with None -> null | Some l -> text (of_list l)
  in
  change db
    "INSERT INTO jobs(at_least, state, documents, watched) VALUES (?, \
     'waiting', ?, ?)"
    [ float at_least; chosen; int (Bool.to_int watched) ];
  last_row db

let named = function
  | Waiting -> ("waiting", null)
  | Running -> ("running", null)
  | Finished _ -> ("finished", null)
  | Cancelled -> ("cancelled", null)
  | Failed reason -> ("failed", text reason)
  | Lost -> ("lost", null)

let set db job state =
  let name, error = named state in
  change db "UPDATE jobs SET state = ?, error = ? WHERE id = ?"
    [ text name; error; int job ]

type pair = { a : int; b : int; common : float }

let keep db job ~compared ~seconds pairs =
  transaction db (fun () ->
      set db job (Finished { compared; pairs = 0; seconds });
      change db
        "UPDATE jobs SET compared = ?, pairs = ?, seconds = ? WHERE id = ?"
        [ int compared; int (List.length pairs); float seconds; int job ];
      List.iter
        (fun { a; b; common } ->
          change db "INSERT INTO pairs VALUES (?, ?, ?, ?)"
            [ int job; int a; int b; float common ])
        pairs)

let to_job row =
  let column i = to_string row.(i) in
  let state =
    match column 2 with
    | "waiting" -> Waiting
    | "running" -> Running
    | "cancelled" -> Cancelled
    | "failed" -> Failed (column 4)
    | "lost" -> Lost
    | _ ->
        Finished
          {
            compared = to_int row.(5);
            pairs = to_int row.(6);
            seconds = to_float row.(7);
          }
  in
  let chosen = if is_null row.(3) then None else Some (to_list (column 3)) in
  { number = to_int row.(0); at_least = to_float row.(1); chosen; state }

let jobs db where values =
  query db
    ("SELECT id, at_least, state, documents, error, compared, pairs, seconds \
      FROM jobs WHERE " ^ where)
    values to_job

let job db number = List.nth_opt (jobs db "id = ?" [ int number ]) 0

let resume db =
  transaction db (fun () ->
      run db "UPDATE jobs SET state = 'lost' WHERE state = 'running'";
      run db
        "UPDATE jobs SET state = 'cancelled' WHERE state = 'waiting' AND \
         watched";
      jobs db "state = 'waiting' ORDER BY id" [])

let pairs db job ~limit =
  query db
    "SELECT p.a, p.b, p.common, x.title, y.title FROM pairs p JOIN documents x \
     ON x.id = p.a JOIN documents y ON y.id = p.b WHERE p.job = ? ORDER BY \
     p.common DESC, p.a, p.b LIMIT ?"
    [ int job; int limit ]
    (fun row ->
      ( { a = to_int row.(0); b = to_int row.(1); common = to_float row.(2) },
        to_string row.(3),
        to_string row.(4) ))

(* {1 Connections} *)

module Connections = struct
  module Pool = Dromos.Resource_pool

  type nonrec t = t Pool.t

  let create ?(max = 4) file =
    Pool.create ~name:"connections to SQLite" ~max
      ~make:(fun () -> connect file)
      ~dispose:close ()

  (* A failed transaction is rolled back, so the connection can be used
     again. *)
  let use t f = Pool.use ~reuse:(fun _ -> true) t f
  let stats = Pool.stats
  let close t = Pool.close t
end
