(* Jobs: results, the queue, cancellation, deadlines, events, the end. *)

open Served
open Documents
open Web
open Example_http
open Lwt.Syntax

let check_int = Watch.check Alcotest.int
let check_string = Watch.check Alcotest.string

let field answer name =
  Yojson.Safe.to_string (Yojson.Safe.Util.member name (json answer))

let state answer = field answer "state"
let submit t = ask t ~meth:"POST" "/jobs"

let submitted t =
  let* answer = submit t in
  check_int "accepted" 202 answer.status;
  Lwt.return (int_of_string (field answer "id"))

let job id = Printf.sprintf "/jobs/%d" id
let counts t = Service.jobs t.service

(* {1 Results} *)

let expected = {|{"a":{"id":1,"title":"first"},"b":{"id":2,"title":"second"}|}

let on_engine engine () =
  run ~engine @@ fun t ->
  let* answer = ask t ~meth:"POST" "/jobs?wait" in
  check_int "status" 200 answer.status;
  check_string "state" {|"finished"|} (state answer);
  check_string "comparisons" "6" (field answer "done");
  check_string "pairs" "1" (field answer "pairs");
  let* () = expect t "/jobs/1" 200 expected in
  let body = {|{"at_least": 0, "documents": [3, 4, 3]}|} in
  let* () = expect t ~meth:"POST" ~body "/jobs?wait" 200 {|"of":1|} in
  Lwt.return_unit

let test_shares () =
  let open Similar in
  let share a b = common (shingles a) (shingles b) in
  let check = Watch.check (Alcotest.float 1e-9) in
  check "the same" 1. (share "a b c d e" "A b, c d e");
  check "nothing" 0. (share "a b c d e" "v w x y z");
  check "short ones" 0. (share "a b" "a b");
  check "one of three" (1. /. 3.) (share "a b c d e" "b c d e f");
  let texts = [| "a b c d"; "x y z w"; "a b c d e" |] in
  let sets = Array.map shingles texts in
  Watch.check
    Alcotest.(list (pair int (float 1e-9)))
    "row"
    [ (0, 0.5) ]
    (row sets 2 ~at_least:0.4)

(* Results found by one server are known to the next. *)
let test_kept () =
  let folder = Filename.temp_dir "web" "" in
  let database = Filename.concat folder "kept.sqlite" in
  run ~database (fun t -> expect t ~meth:"POST" "/jobs?wait" 200 {|"id":1|});
  run ~database (fun t ->
      let* () = expect t "/jobs/1" 200 expected in
      let* () = expect t "/jobs/1/events" 200 "event: end\ndata: {\"id\":1" in
      let* () = expect t ~meth:"DELETE" "/jobs/1" 409 "job 1 is over" in
      expect t ~meth:"POST" "/jobs?wait" 200 {|"id":2|});
  Array.iter
    (fun name -> Sys.remove (Filename.concat folder name))
    (Sys.readdir folder);
  Sys.rmdir folder

let test_failure () =
  let gate = gate () in
  let lines = ref [] in
  let log line = lines := line :: !lines in
  run ~gate ~log @@ fun t ->
  open_ gate;
  (* A single document has no pair: the comparison fails. *)
  let body = {|{"documents": [1]}|} in
  let* () =
    expect t ~meth:"POST" ~body "/jobs?wait" 500 "index out of bounds"
  in
  let* () = expect t "/jobs/1" 200 {|"state":"failed"|} in
  check_int "failed" 1 (counts t).failed;
  Watch.check
    Alcotest.(list string)
    "the log"
    [ {|job 1 failed: Invalid_argument("index out of bounds")|} ]
    !lines;
  Lwt.return_unit

(* {1 The queue} *)

let test_full () =
  let gate = gate () in
  run ~gate ~waiting:1 @@ fun t ->
  let* first = submitted t in
  let* () = started gate in
  let* second = submitted t in
  let* third = submit t in
  check_int "full" 503 third.status;
  check_string "when to try again" "1"
    (Option.value (third.header "retry-after") ~default:"none");
  let* () = expect t "/metrics" 200 "\nweb_jobs_refused_total 1\n" in
  let* () = expect t "/metrics" 200 "\nweb_jobs_waiting 1\n" in
  let* () = expect t (job second) 200 {|"state":"waiting"|} in
  (* Small requests are answered meanwhile. *)
  let* () = expect t "/documents?q=zebra" 200 "fourth" in
  open_ gate;
  let* () = until "both end" (fun () -> (counts t).finished = 2) in
  let* () = expect t (job first) 200 {|"state":"finished"|} in
  let* _ = submitted t in
  Lwt.return_unit

(* {1 Cancellation} *)

let test_delete () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* first = submitted t in
  let* () = started gate in
  let* second = submitted t in
  let delete id =
    expect t ~meth:"DELETE" (job id) 200 {|"state":"cancelled"|}
  in
  let* () = delete second in
  let* () = delete first in
  let* () = left gate 1 in
  let* () = expect t ~meth:"DELETE" (job first) 409 "is over" in
  let c = counts t in
  check_int "cancelled" 2 c.cancelled;
  check_int "running" 0 c.running;
  check_int "waiting" 0 c.waiting;
  Lwt.return_unit

let test_client_leaves () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* client = Client.connect t.address in
  let answer = Client.request client ~meth:"POST" "/jobs?wait" in
  let* () = started gate in
  let* () = Client.close client in
  let* () = left gate 1 in
  let* () = until "it counts" (fun () -> (counts t).cancelled = 1) in
  Lwt.catch
    (fun () -> Lwt.map (fun _ -> Alcotest.fail "an answer") answer)
    (fun _ -> expect t "/metrics" 200 {|{route="submit",status="499"} 1|})

(* On a busy machine the deadline may pass before there is a job: try again. *)
let rec late t cancelled =
  let* () =
    expect t ~meth:"POST" "/jobs?wait&deadline=0.02" 504 "the deadline is over"
  in
  if (counts t).cancelled = cancelled then Lwt.return_unit else late t cancelled

let test_deadline () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* running = submitted t in
  let* () = started gate in
  let* () = late t 1 in
  let* () = expect t (job running) 200 {|"state":"running"|} in
  let* () = expect t ~meth:"DELETE" (job running) 200 "" in
  let* () = left gate 1 in
  late t 3

(* {1 Events} *)

let test_events () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* id = submitted t in
  let* () = started gate in
  let* client = Client.connect t.address in
  let texts = Buffer.create 100 in
  let has part = Said.contains (Buffer.contents texts) part in
  let add text =
    Buffer.add_string texts text;
    if has {|"done":1,"of":3|} then open_ gate;
    true
  in
  let* status = Client.stream client (job id ^ "/events") add in
  check_int "status" 200 status;
  let all = Buffer.contents texts in
  let must part =
    if not (has part) then Alcotest.failf "no %S in %s" part all
  in
  must "event: progress\ndata: {";
  must "event: end\ndata: {";
  must {|"state":"finished","pairs":1,"done":3,"of":3}|};
  (* The connection stays usable. *)
  let* status, _ = Client.get client "/documents/1" in
  check_int "after them" 200 status;
  let* () = Client.close client in
  expect t (job id ^ "/events") 200 "event: end"

let test_events_left () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* id = submitted t in
  let* () = started gate in
  let* client = Client.connect t.address in
  let* status = Client.stream client (job id ^ "/events") (fun _ -> false) in
  check_int "status" 200 status;
  let* () = Client.close client in
  (* No client looks, and the job continues. *)
  let* () = expect t (job id) 200 {|"state":"running"|} in
  open_ gate;
  until "it ends" (fun () -> (counts t).finished = 1)

(* {1 The end} *)

(* Without grace the request is given up and answered so; streams end at
   once. *)
let test_stop ~grace status () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* client = Client.connect t.address in
  let waiting = Client.request client ~meth:"POST" "/jobs?wait" in
  let* () = started gate in
  let* reader = Client.connect t.address in
  let told, tell = Lwt.wait () in
  let events =
    Client.stream reader "/jobs/1/events" (fun _ ->
        if Lwt.is_sleeping told then Lwt.wakeup_later tell ();
        true)
  in
  let* () = told in
  let stopped = Service.stop ~grace t.service in
  let* (_ : int) = events in
  if grace > 0. then open_ gate;
  let* answer = waiting in
  check_int answer.body status answer.status;
  let* () = left gate 1 in
  stopped

let () =
  Watch.suite "web: jobs" @@ fun () ->
  let case = Watch.case in
  let dromos hub () = Engine.dromos ~workers:2 ~hub () in
  Alcotest.run "web: jobs"
    [
      ( "results",
        case "shares" test_shares
        :: case "without preemption"
             (on_engine (fun () -> Engine.dromos ~workers:1 ~preempt:false ()))
        :: case "Lwt_preemptive" (on_engine Engine.threads)
        :: case "Lwt's thread" (on_engine Engine.loop)
        :: case "kept" test_kept
        :: case "a failure" test_failure
        :: List.map
             (fun hub ->
               case ("hub " ^ Dromos.Hub.name hub) (on_engine (dromos hub)))
             Dromos.Hub.all );
      ("the line", [ case "full" test_full ]);
      ( "cancellation",
        [
          case "by request" test_delete;
          case "the client leaves" test_client_leaves;
          case "a deadline" test_deadline;
        ] );
      ("events", [ case "to the end" test_events; case "left" test_events_left ]);
      ( "the end",
        [
          case "without grace" (test_stop ~grace:0. 503);
          case "with grace" (test_stop ~grace:3600. 200);
        ] );
    ]
