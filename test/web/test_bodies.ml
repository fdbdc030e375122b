(* Bodies of requests: their framing, their size, their time. *)

open Served
open Example_http
open Lwt.Syntax

let check_int = Watch.check Alcotest.int
let body = {|{"title":"t","text":"a"}|}

let post ?(path = "/documents") fields text =
  Printf.sprintf "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n%s" path
    (String.concat "" (List.map (fun f -> f ^ "\r\n") fields))
    text

let sized ?path n text =
  post ?path [ Printf.sprintf "Content-Length: %d" n ] text

let chunked text = post [ "Transfer-Encoding: chunked" ] text
let whole = sized (String.length body) body

(* A client that ends its sending side has left (499), so these clients wait
   for their answer. *)
let answered t what text status =
  let* client = Raw.connect t.address in
  let* () = Raw.send client text in
  let* answer = Raw.answer client in
  check_int (what ^ ": " ^ answer) status (Raw.status answer);
  Lwt.return client

let expect_status t (what, text, status) =
  let* client = answered t what text status in
  Raw.close client

(* {1 Framing} *)

let test_framing () =
  run ~largest:1000 @@ fun t ->
  Lwt_list.iter_s (expect_status t)
    [
      ("whole", whole, 201);
      ("none", post [] "", 400);
      ( "chunks",
        chunked
          "C;x=y\r\n\
           {\"title\":\"t\"\r\n\
           c\r\n\
           ,\"text\":\"a\"}\r\n\
           0\r\n\
           Trailer: x\r\n\
           \r\n",
        201 );
      ("no number", chunked "what\r\n{}\r\n0\r\n\r\n", 400);
      ("negative", chunked "-2\r\n{}\r\n0\r\n\r\n", 400);
      ("beyond an int", chunked "ffffffffffffffff\r\n{}\r\n0\r\n\r\n", 400);
      ("too long a chunk", chunked "1\r\n{}\r\n0\r\n\r\n", 400);
      ("too large a chunk", chunked "3e9\r\n", 413);
      ("too large a line", chunked (String.make 300 '0'), 400);
      ( "endless trailer",
        chunked
          ("2\r\n{}\r\n0\r\n"
          ^ String.concat "" (List.init 200 (fun _ -> "a: b\r\n"))),
        400 );
    ]

(* Many small chunks, too large together. *)
let test_many_chunks () =
  run ~largest:1000 @@ fun t ->
  let chunks =
    String.concat "" (List.init 101 (fun _ -> "a\r\n          \r\n"))
  in
  expect_status t ("together", chunked chunks, 413)

(* The server answers before the body comes, and the body never comes. *)
let test_too_large () =
  run @@ fun t ->
  let* client = answered t "2 GB" (sized 2_147_483_648 "{") 413 in
  let* rest = Raw.rest client in
  Watch.check Alcotest.string "the end" "" rest;
  let* () = Raw.close client in
  (* A short rest of a refused body is skipped. *)
  let* client = answered t "404" (sized ~path:"/nowhere" 5 "he") 404 in
  let* () = Raw.send client "llo" in
  let* () = Raw.send client whole in
  let* next = Raw.answer client in
  check_int "after it" 201 (Raw.status next);
  Raw.close client

(* What follows a body is the next request. *)
let test_surplus () =
  run @@ fun t ->
  let* client =
    answered t "the first" (whole ^ whole ^ "surplus\r\n\r\n") 201
  in
  let* second = Raw.answer client in
  check_int "the second" 201 (Raw.status second);
  let* third = Raw.answer client in
  check_int "no request" 400 (Raw.status third);
  let* rest = Raw.rest client in
  Watch.check Alcotest.string "the end" "" rest;
  Raw.close client

let test_incomplete () =
  run @@ fun t ->
  let* client = Raw.connect t.address in
  let* () = Raw.send client (sized 100 {|{"title":"t","text":"a"}|}) in
  Raw.end_ client;
  let* answer = Raw.rest client in
  (match Raw.status answer with
  | 400 | 499 -> ()
  | _ -> Alcotest.failf "an incomplete body: %s" answer);
  let* () = Raw.close client in
  let* found = ask t "/documents/5" in
  check_int "nothing is kept" 404 found.status;
  Lwt.return_unit

(* {1 Time} *)

let test_deadline () =
  run ~deadline:0.2 @@ fun t ->
  let* () = expect_status t ("no body", sized 100 "{", 504) in
  let* () = expect_status t ("chunks", chunked "5\r\n{", 504) in
  let* () = expect_status t ("a job", sized ~path:"/jobs" 100 "{", 504) in
  expect t "/metrics" 200 {|{route="add",status="504"} 2|}

let test_parameter () =
  run @@ fun t ->
  let path = "/documents?deadline=0.1" in
  let* () = expect_status t ("less time", sized ~path 100 "{", 504) in
  let* () =
    Lwt_list.iter_s
      (fun wrong ->
        expect t ("/documents?deadline=" ^ wrong) 400 "deadline should be")
      [
        "-1"; "nan"; "inf"; "-inf"; "1e3"; "0x1"; "1_0"; ""; "."; "3601"; "1%20";
      ]
  in
  (* No time at all: nothing begins. *)
  let* () =
    expect t ~meth:"POST" ~body "/documents?deadline=0" 504 "deadline"
  in
  let* found = ask t "/documents/5" in
  check_int "nothing is kept" 404 found.status;
  Lwt.return_unit

let test_stalled () =
  run ~limits:{ Limits.default with stalled = 0.2 } @@ fun t ->
  expect_status t ("nothing comes", sized 100 "{", 408)

(* {1 Expectations} *)

let expecting n =
  [ "Expect: 100-continue"; Printf.sprintf "Content-Length: %d" n ]

let test_expect () =
  run ~largest:1000 @@ fun t ->
  let n = String.length body in
  let* client = answered t "leave" (post (expecting n) "") 100 in
  let* () = Raw.send client body in
  let* answer = Raw.answer client in
  check_int "after the body" 201 (Raw.status answer);
  let* () = Raw.close client in
  (* No leave for a body that the server does not want; no bytes of the body can
     be told from a next request. *)
  let* client = answered t "too large" (post (expecting 1001) "") 413 in
  let* rest = Raw.rest client in
  Watch.check Alcotest.string "the end" "" rest;
  let* () = Raw.close client in
  let* client =
    answered t "nowhere" (post ~path:"/nowhere" (expecting n) "") 404
  in
  let* rest = Raw.rest client in
  Watch.check Alcotest.string "the end" "" rest;
  Raw.close client

(* {1 HEAD} *)

let routes =
  [
    "/";
    "/documents";
    "/documents?q=zebra";
    "/documents?limit=0";
    "/documents/1";
    "/documents/99";
    "/documents/x";
    "/documents/99999999999999999999";
    "/jobs";
    "/jobs/1";
    "/jobs/99";
    "/jobs/99/events";
    "/nowhere";
    "/documents/1?deadline=0";
  ]

(* The head is that of GET, and no byte follows it. *)
let test_head () =
  run @@ fun t ->
  let* (_ : Client.answer) = ask t ~meth:"POST" "/jobs?wait" in
  let get = Raw.once t.address in
  let request meth path close =
    Printf.sprintf "%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n" meth path close
  in
  let closed = "Connection: close\r\n" in
  let* () =
    Lwt_list.iter_s
      (fun path ->
        let* full = get (request "GET" path closed) in
        let* head = get (request "HEAD" path closed) in
        let n = String.length head in
        Watch.check Alcotest.string path (String.sub full 0 n) head;
        if not (String.ends_with ~suffix:"\r\n\r\n" head) then
          Alcotest.failf "a body after HEAD %s: %s" path head;
        if String.length full <= n then Alcotest.failf "no body: %s" path;
        Lwt.return_unit)
      routes
  in
  (* Without a length: events. Then figures, which change. The connections stay
     usable. *)
  Lwt_list.iter_s
    (fun path ->
      let* client = Raw.connect t.address in
      let* () = Raw.send client (request "HEAD" path "") in
      let* head = Raw.head client in
      check_int path 200 (Raw.status head);
      let* () = Raw.send client (request "GET" "/documents/1" closed) in
      let* next = Raw.rest client in
      check_int ("after HEAD " ^ path) 200 (Raw.status next);
      Raw.close client)
    [ "/jobs/1/events"; "/metrics" ]

(* HEAD of the events of a job that runs ends at once. *)
let test_head_of_events () =
  let gate = gate () in
  run ~gate @@ fun t ->
  let* (_ : Client.answer) = ask t ~meth:"POST" "/jobs" in
  let* () = started gate in
  let* answer =
    Raw.once t.address
      "HEAD /jobs/1/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
  in
  check_int "status" 200 (Raw.status answer);
  open_ gate;
  Lwt.return_unit

let () =
  Watch.suite "web: bodies" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "web: bodies"
    [
      ( "framing",
        [
          case "lengths and chunks" test_framing;
          case "many chunks" test_many_chunks;
          case "too large" test_too_large;
          case "surplus" test_surplus;
          case "incomplete" test_incomplete;
        ] );
      ( "time",
        [
          case "the server's deadline" test_deadline;
          case "the request's deadline" test_parameter;
          case "nothing comes" test_stalled;
        ] );
      ("expectations", [ case "100-continue" test_expect ]);
      ( "HEAD",
        [ case "every route" test_head; case "events" test_head_of_events ] );
    ]
