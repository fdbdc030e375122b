(* Jobs from one server of a database to the next. *)

open Served
open Documents
open Lwt.Syntax

let check_int = Watch.check Alcotest.int

let submit ?(body = "{}") ?(wait = "") t =
  let* answer = ask t ~meth:"POST" ~body ("/jobs" ^ wait) in
  check_int answer.body 202 answer.status;
  Lwt.return Yojson.Safe.Util.(json answer |> member "id" |> to_int)

let state t id state =
  expect t
    (Printf.sprintf "/jobs/%d" id)
    200
    (Printf.sprintf {|"state":"%s"|} state)

let counts t = Web.Service.jobs t.service

(* The first server ends while a job runs and others wait. *)
let test_end () =
  with_folder @@ fun database ->
  let interrupted = gate () in
  run ~database ~gate:interrupted (fun t ->
      let* first = submit t in
      check_int "first" 1 first;
      let* () = started interrupted in
      let* second = submit t ~body:{|{"documents":[1,2],"at_least":0.5}|} in
      check_int "second" 2 second;
      let* third = submit t in
      let* () =
        expect t ~meth:"DELETE"
          (Printf.sprintf "/jobs/%d" third)
          200 "cancelled"
      in
      let watched =
        Lwt.catch
          (fun () ->
            Lwt.map
              (fun (a : Example_http.Client.answer) -> a.status)
              (ask t ~meth:"POST" "/jobs?wait"))
          (fun _ -> Lwt.return 0)
      in
      let* () = until "it waits" (fun () -> (counts t).waiting = 2) in
      let* () = Web.Service.stop ~grace:0. t.service in
      let* status = watched in
      check_int "given up" 503 status;
      check_int "wait for the next start" 2 (counts t).waiting;
      Lwt.return_unit);
  run ~database (fun t ->
      let* () = until "both run again" (fun () -> (counts t).finished = 2) in
      let* () = expect t "/jobs/1" 200 {|"of":6|} in
      let* () = expect t "/jobs/2" 200 {|"of":1|} in
      let* () = state t 2 "finished" in
      let* () = expect t "/jobs/2" 200 {|"at_least":0.5|} in
      let* () = state t 3 "cancelled" in
      let* () = state t 4 "cancelled" in
      let* fifth = submit t in
      check_int "a new number" 5 fifth;
      Lwt.return_unit)

(* What a server leaves that dies: states in the database. *)
let test_death () =
  with_folder @@ fun database ->
  let store = Store.connect database in
  Store.fill store documents;
  let accept ?documents watched =
    Store.accept store ~at_least:0.25 ~documents ~watched
  in
  let ran = accept false in
  Store.set store ran Running;
  let waited = accept ~documents:[ 1; 2; 3 ] false in
  let none = accept ~documents:[] false in
  let left = accept true in
  let failed = accept false in
  Store.set store failed (Failed "no luck");
  Store.close store;
  run ~database @@ fun t ->
  let* () = state t ran "lost" in
  let* () = expect t "/jobs/1" 200 "the server died" in
  let* () = expect t "/jobs/1/events" 200 {|"state":"lost"|} in
  let* () = expect t ~meth:"DELETE" "/jobs/1" 409 "is over" in
  let* () = until "they run" (fun () -> (counts t).finished = 2) in
  let* () = expect t (Printf.sprintf "/jobs/%d" waited) 200 {|"of":3|} in
  let* () = expect t (Printf.sprintf "/jobs/%d" none) 200 {|"of":0|} in
  let* () = state t left "cancelled" in
  let* () = expect t (Printf.sprintf "/jobs/%d" failed) 200 "no luck" in
  let* next = submit t in
  check_int "a new number" 6 next;
  Lwt.return_unit

(* More jobs than may wait are resumed, and then no more are accepted. *)
let test_many () =
  with_folder @@ fun database ->
  let store = Store.connect database in
  Store.fill store documents;
  for _ = 1 to 5 do
    ignore
      (Store.accept store ~at_least:0. ~documents:None ~watched:false : int)
  done;
  Store.close store;
  let gate = gate () in
  run ~database ~gate ~waiting:2 @@ fun t ->
  let* () = started gate in
  check_int "waiting" 4 (counts t).waiting;
  let* () = expect t ~meth:"POST" "/jobs" 503 "4 jobs wait already" in
  open_ gate;
  until "they run" (fun () -> (counts t).finished = 5)

(* A database of the version that kept finished jobs only. *)
let test_old () =
  with_folder @@ fun database ->
  let db = Sql.open_ database in
  List.iter (Sql.run db)
    [
      "CREATE TABLE documents(id INTEGER PRIMARY KEY, title TEXT NOT NULL, \
       text TEXT NOT NULL)";
      "CREATE VIRTUAL TABLE words USING fts5(title, text, content='documents', \
       content_rowid='id')";
      "CREATE TABLE jobs(id INTEGER PRIMARY KEY, at_least REAL, compared \
       INTEGER, pairs INTEGER, seconds REAL)";
      "CREATE TABLE pairs(job INTEGER, a INTEGER, b INTEGER, common REAL)";
      "CREATE INDEX pairs_of_job ON pairs(job, common)";
      "INSERT INTO jobs VALUES (7, 0.5, 4, 1, 0.25)";
    ];
  Sql.close db;
  run ~database @@ fun t ->
  let* () = state t 7 "finished" in
  let* () = expect t "/jobs/7" 200 {|"pairs":1,"done":6,"of":6|} in
  let* next = submit t in
  check_int "a new number" 8 next;
  Lwt.return_unit

(* A client that leaves while its job is being accepted leaves no job. *)
let test_deadline_at_submission () =
  let accepted, accept = Lwt.wait () in
  let noted = ref [] in
  let book =
    {
      Web.Jobs.accept = (fun ~at_least:_ ~documents:_ ~watched:_ -> accepted);
      note =
        (fun id state ->
          noted := (id, state) :: !noted;
          Lwt.return_unit);
    }
  in
  Dromos_lwt.run @@ fun () ->
  let jobs = Web.Jobs.create ~waiting:1 book (fun _ -> fst (Lwt.task ())) in
  let submitted =
    Web.Jobs.submit jobs ~watched:false ~at_least:0. ~documents:None
  in
  check_int "its place is taken" 1 (Web.Jobs.counts jobs).waiting;
  Lwt.cancel submitted;
  Lwt.wakeup accept 1;
  let* () =
    until "it is cancelled" (fun () -> (Web.Jobs.counts jobs).cancelled = 1)
  in
  check_int "waiting" 0 (Web.Jobs.counts jobs).waiting;
  check_int "running" 0 (Web.Jobs.counts jobs).running;
  if not (List.mem (1, Store.Cancelled) !noted) then
    Alcotest.fail "the book does not know";
  Lwt.return_unit

let () =
  Watch.suite "web: kept jobs" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "web: kept jobs"
    [
      ( "the next server",
        [
          case "after an end" test_end;
          case "after a death" test_death;
          case "many" test_many;
          case "an old database" test_old;
        ] );
      ("submission", [ case "a client that leaves" test_deadline_at_submission ]);
    ]
