module S = Sqlite3

type t = S.db
type value = S.Data.t

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
  match
    let x = f () in
    run db "COMMIT";
    x
  with
  | x -> x
  | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      ignore (S.exec db "ROLLBACK" : S.Rc.t);
      Printexc.raise_with_backtrace e backtrace

let int n = S.Data.INT (Int64.of_int n)
let text s = S.Data.TEXT s

let number db sql =
  match query db sql [] (fun row -> S.Data.to_int_exn row.(0)) with
  | n :: _ -> n
  | [] -> 0

let open_ file =
  try S.db_open ~mutex:`FULL file
  with S.Error reason -> failwith (file ^ ": " ^ reason)

let close db = ignore (S.db_close db : bool)
let patience db = S.busy_timeout db 10_000
let last_row db = Int64.to_int (S.last_insert_rowid db)
let null = S.Data.NULL
let float x = S.Data.FLOAT x
let is_null v = v = S.Data.NULL
let to_int = S.Data.to_int_exn
let to_float = S.Data.to_float_exn
let to_string = S.Data.to_string_coerce
