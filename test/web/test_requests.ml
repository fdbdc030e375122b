(* Documents, figures, and refused requests. *)

open Served
open Lwt.Syntax

let check_int = Watch.check Alcotest.int
let check_string = Watch.check Alcotest.string

let titles answer =
  Yojson.Safe.Util.(
    json answer |> member "documents" |> to_list
    |> List.map (fun d -> member "title" d |> to_string))

let test_documents () =
  run @@ fun t ->
  let body =
    {|{"title": "fifth", "text": "one\ntwo zebra zebra\nthree\nfour"}|}
  in
  let* answer = ask t ~meth:"POST" ~body "/documents" in
  check_int "created" 201 answer.status;
  check_string "location" "/documents/5"
    (Option.value (answer.header "location") ~default:"none");
  let* () = expect t "/documents/5" 200 {|"text":"one\ntwo|} in
  let* found = ask t "/documents?q=zebra" in
  Watch.check
    Alcotest.(list string)
    "found" [ "fifth"; "fourth" ]
    (List.sort String.compare (titles found));
  let* () = expect t "/documents?q=zebra" 200 {|"passage":"one\ntwo zebra|} in
  let* all = ask t "/documents?limit=2" in
  check_int "limit" 2 (List.length (titles all));
  let* none = ask t "/documents?q=word%22)%20unknown" in
  check_int "words in quotes" 0 (List.length (titles none));
  Lwt.return_unit

let test_refusals () =
  run ~largest:1000 @@ fun t ->
  let post path body = expect t ~meth:"POST" ~body path in
  let* () = expect t "/nowhere" 404 "nothing at /nowhere" in
  let* () = expect t "/documents/99" 404 "no document 99" in
  let* () = expect t "/documents/x" 400 {|\"x\" is not a number|} in
  let* () = expect t "/documents?limit=0" 400 "limit should be a number" in
  let* () = expect t "/documents?deadline=never" 400 "deadline should be" in
  let* () = expect t ~meth:"PUT" "/documents" 405 "GET, HEAD, POST only" in
  let* () = expect t ~meth:"DELETE" "/metrics" 405 "GET, HEAD only" in
  let* () = expect t ~meth:"GET" "/jobs" 405 "POST only" in
  let* () = post "/documents" "{" 400 "the body is no JSON" in
  let* () = post "/documents" "[1]" 400 "should be a JSON object" in
  let* () = post "/documents" {|{"title": "x"}|} 400 "text is missing" in
  let* () =
    post "/documents" {|{"title": 1, "text": ""}|} 400
      "title should be a string"
  in
  let* () =
    post "/documents" (String.make 1001 ' ') 413 "more than 1000 bytes"
  in
  let* () =
    post "/jobs" {|{"at_least": 2}|} 400 "at_least should be a number"
  in
  let* () =
    post "/jobs" {|{"documents": ["x"]}|} 400 "a list of documents' numbers"
  in
  let* () = post "/jobs" {|{"documents": [1, 77]}|} 400 "no document 77" in
  let* () = expect t "/jobs/1" 404 "no job 1" in
  let* () = expect t "/jobs/1/events" 404 "no job 1" in
  let* () = expect t ~meth:"DELETE" "/jobs/1" 404 "no job 1" in
  (* A connection is as good as before. *)
  let* client = Example_http.Client.connect t.address in
  let body = String.make 5000 ' ' in
  let* large = Example_http.Client.request client ~meth:"POST" ~body "/jobs" in
  check_int "too large" 413 large.status;
  let* status, _ = Example_http.Client.get client "/documents/1" in
  check_int "after it" 200 status;
  Example_http.Client.close client

(* A line of the text form: a comment, or a name, labels, and a number. *)
let is_well_formed line =
  let is_name s =
    s <> ""
    && String.for_all
         (function
           | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' | ':' -> true
           | _ -> false)
         s
  in
  match String.split_on_char ' ' line with
  | "#" :: ("HELP" | "TYPE") :: name :: _ :: _ -> is_name name
  | [ metric; value ] ->
      let name = List.hd (String.split_on_char '{' metric) in
      is_name name
      && (name = metric || metric.[String.length metric - 1] = '}')
      && float_of_string_opt value <> None
  | _ -> false

let value lines metric =
  let mark = metric ^ " " in
  let of_line line =
    if String.starts_with ~prefix:mark line then
      let n = String.length mark in
      Some (float_of_string (String.sub line n (String.length line - n)))
    else None
  in
  match List.find_map of_line lines with
  | Some x -> int_of_float x
  | None -> Alcotest.failf "no %s" metric

let test_metrics () =
  run @@ fun t ->
  let* () = expect t "/documents/1" 200 "first" in
  let* () = expect t "/documents/99" 404 "" in
  let* () = expect t ~meth:"POST" "/jobs?wait" 200 "finished" in
  let* answer = ask t "/metrics" in
  let lines = String.split_on_char '\n' (String.trim answer.body) in
  List.iter
    (fun line ->
      if not (is_well_formed line) then Alcotest.failf "not a metric: %S" line)
    lines;
  let is metric n = check_int metric n (value lines metric) in
  is {|web_requests_total{route="document",status="200"}|} 1;
  is {|web_requests_total{route="document",status="404"}|} 1;
  is {|web_request_seconds_count{route="document"}|} 2;
  is {|web_request_seconds_bucket{route="document",le="+Inf"}|} 2;
  is "web_requests_under_way" 1;
  is "web_jobs_finished_total" 1;
  is "web_jobs_waiting" 0;
  is {|dromos_runtime_workers{runtime="web"}|} 2;
  is {|dromos_runtime_tasks_failed_total{runtime="web"}|} 0;
  if value lines "ocaml_gc_heap_bytes" <= 0 then Alcotest.fail "no heap";
  let types = List.filter (String.starts_with ~prefix:"# TYPE ") lines in
  check_int "each type once" (List.length types)
    (List.length (List.sort_uniq String.compare types));
  Lwt.return_unit

let test_page () =
  run @@ fun t ->
  let* answer = ask t "/" in
  check_int "status" 200 answer.status;
  check_string "page" Web.Page.html answer.body;
  Lwt.return_unit

let () =
  Watch.suite "web: requests" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "web: requests"
    [
      ( "requests",
        [
          case "documents" test_documents;
          case "refusals" test_refusals;
          case "metrics" test_metrics;
          case "the page" test_page;
        ] );
    ]
