module S = Sqlite3

type t = S.db

let fail db what = failwith (Printf.sprintf "%s: %s" what (S.errmsg db))

let succeed db what rc =
  match (rc : S.Rc.t) with OK | DONE -> () | _ -> fail db what

let run db sql = succeed db sql (S.exec db sql)

(* [query db sql values f] is [f] of each row, in order. *)
let query db sql values f =
  let statement = S.prepare db sql in
  Fun.protect
    ~finally:(fun () -> ignore (S.finalize statement : S.Rc.t))
    (fun () ->
      succeed db sql (S.bind_values statement values);
      let rows = ref [] in
      succeed db sql (S.iter statement ~f:(fun row -> rows := f row :: !rows));
      List.rev !rows)

let change db sql values = ignore (query db sql values ignore : unit list)

(* IMMEDIATE: a writer waits for other writers at the beginning, not halfway. *)
let transaction db f =
  run db "BEGIN IMMEDIATE";
  match f () with
  | x ->
      run db "COMMIT";
      x
  | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      ignore (S.exec db "ROLLBACK" : S.Rc.t);
      Printexc.raise_with_backtrace e backtrace

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

let connect file =
  let db = S.db_open ~mutex:`FULL file in
  match
    S.busy_timeout db 10_000;
    run db "PRAGMA journal_mode = WAL";
    run db "PRAGMA synchronous = NORMAL";
    run db tables
  with
  | () -> db
  | exception e ->
      ignore (S.db_close db : bool);
      raise e

let close db = ignore (S.db_close db : bool)
let int n = S.Data.INT (Int64.of_int n)
let text s = S.Data.TEXT s

(* {1 Documents} *)

type document = { id : int; title : string; text : string }

let to_document row =
  {
    id = S.Data.to_int_exn row.(0);
    title = S.Data.to_string_coerce row.(1);
    text = S.Data.to_string_coerce row.(2);
  }

let insert db (title, content) =
  change db "INSERT INTO documents(title, text) VALUES (?, ?)"
    [ text title; text content ];
  let id = Int64.to_int (S.last_insert_rowid db) in
  change db "INSERT INTO words(rowid, title, text) VALUES (?, ?, ?)"
    [ int id; text title; text content ];
  id

let add db ~title ~text = transaction db (fun () -> insert db (title, text))

let fill db documents =
  transaction db (fun () ->
      List.iter (fun d -> ignore (insert db d : int)) documents)

let number db sql =
  match query db sql [] (fun row -> S.Data.to_int_exn row.(0)) with
  | n :: _ -> n
  | [] -> 0

let count db = number db "SELECT count(*) FROM documents"

let document db id =
  let found =
    query db "SELECT id, title, text FROM documents WHERE id = ?"
      [ int id ]
      to_document
  in
  List.nth_opt found 0

let search db ~words ~limit =
  match words with
  | [] ->
      query db "SELECT id, title, text FROM documents ORDER BY id LIMIT ?"
        [ int limit ]
        to_document
  | _ ->
      let quoted = List.map (fun w -> "\"" ^ w ^ "\"") words in
      query db
        "SELECT d.id, d.title, d.text FROM words w JOIN documents d ON d.id = \
         w.rowid WHERE words MATCH ? ORDER BY w.rank LIMIT ?"
        [ text (String.concat " " quoted); int limit ]
        to_document

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

(* {1 Results} *)

type pair = { a : int; b : int; common : float }

type result = {
  job : int;
  at_least : float;
  compared : int;
  pairs : int;
  seconds : float;
}

let last_job db = number db "SELECT coalesce(max(id), 0) FROM jobs"

let keep db r pairs =
  transaction db (fun () ->
      change db "INSERT INTO jobs VALUES (?, ?, ?, ?, ?)"
        [
          int r.job;
          FLOAT r.at_least;
          int r.compared;
          int r.pairs;
          FLOAT r.seconds;
        ];
      List.iter
        (fun { a; b; common } ->
          change db "INSERT INTO pairs VALUES (?, ?, ?, ?)"
            [ int r.job; int a; int b; FLOAT common ])
        pairs)

let result db job =
  let to_result row =
    {
      job;
      at_least = S.Data.to_float_exn row.(0);
      compared = S.Data.to_int_exn row.(1);
      pairs = S.Data.to_int_exn row.(2);
      seconds = S.Data.to_float_exn row.(3);
    }
  in
  List.nth_opt
    (query db "SELECT at_least, compared, pairs, seconds FROM jobs WHERE id = ?"
       [ int job ]
       to_result)
    0

let pairs db job ~limit =
  query db
    "SELECT p.a, p.b, p.common, x.title, y.title FROM pairs p JOIN documents x \
     ON x.id = p.a JOIN documents y ON y.id = p.b WHERE p.job = ? ORDER BY \
     p.common DESC, p.a, p.b LIMIT ?"
    [ int job; int limit ]
    (fun row ->
      ( {
          a = S.Data.to_int_exn row.(0);
          b = S.Data.to_int_exn row.(1);
          common = S.Data.to_float_exn row.(2);
        },
        S.Data.to_string_coerce row.(3),
        S.Data.to_string_coerce row.(4) ))

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
