(* Clients that are silent, slow, many, or wrong: others are served, and nothing
   of the server is theirs for long. *)

open Served
open Example_http
open Lwt.Syntax

let check_int = Watch.check Alcotest.int
let check_string = Watch.check Alcotest.string

(* Limits that never end a connection, for the tests of room. *)
let patient =
  { Limits.connections = 900; head = 3600.; idle = 3600.; stalled = 3600. }

let get = "GET /documents/1 HTTP/1.1\r\nHost: x\r\n\r\n"

let metric t name =
  let* answer = ask t "/metrics" in
  let mark = name ^ " " in
  let of_line line =
    if String.starts_with ~prefix:mark line then
      Some (Scanf.sscanf line "%_s %d" Fun.id)
    else None
  in
  match List.find_map of_line (String.split_on_char '\n' answer.body) with
  | Some n -> Lwt.return n
  | None -> Alcotest.failf "no %s" name

(* {1 Heads} *)

let fields n = String.concat "" (List.init n (Printf.sprintf "a%d: x\r\n"))
let long n = String.make n 'a'

let heads =
  [
    ("what is this", 400);
    ("GET /documents/1", 400);
    ("GET  /documents/1 HTTP/1.1\r\nHost: x", 400);
    ("G\x01T / HTTP/1.1\r\nHost: x", 400);
    ("GET documents HTTP/1.1\r\nHost: x", 400);
    ("GET / HTTP/2.0\r\nHost: x", 505);
    ("PRI * HTTP/2.0", 505);
    ("GET / HTTP/1.1", 400);
    ("GET / HTTP/1.1\r\nHost: x\r\nHost: y", 400);
    ("GET / HTTP/1.1\r\nHost: x\r\n folded: y", 400);
    ("GET / HTTP/1.1\r\nHost: x\r\nno field", 400);
    ("GET / HTTP/1.1\r\nHost: x\r\nspace : y", 400);
    ("GET / HTTP/1.1\r\nHost: x\r\na: \x00", 400);
    ("GET / HTTP/1.1\r\nHost: x\r\na: b\rc", 400);
    ("GET /" ^ long 20_000 ^ " HTTP/1.1\r\nHost: x", 414);
    ("GET / HTTP/1.1\r\nHost: x\r\na: " ^ long 20_000, 431);
    ("GET / HTTP/1.1\r\nHost: x\r\n" ^ fields 101, 431);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip", 501);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked", 501);
    ( "POST /jobs HTTP/1.1\r\n\
       Host: x\r\n\
       Transfer-Encoding: chunked\r\n\
       Content-Length: 3",
      400 );
    ("POST /jobs HTTP/1.0\r\nTransfer-Encoding: chunked", 400);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: -1", 400);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: +1", 400);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1", 400);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length:", 400);
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2", 400);
    ( "POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2",
      400 );
    ( "POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999",
      413 );
    ("POST /jobs HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nContent-Length: 2", 417);
  ]

let test_heads () =
  run ~limits:patient @@ fun t ->
  let* () =
    Lwt_list.iter_s
      (fun (text, status) ->
        (* [once] also waits for the end of the connection. *)
        let* answer = Raw.once t.address (text ^ "\r\n\r\n") in
        let shown = String.sub text 0 (Int.min 60 (String.length text)) in
        check_int (String.escaped shown) status (Raw.status answer);
        if not (Said.contains answer {|{"error":"|}) then Alcotest.fail answer;
        Lwt.return_unit)
      heads
  in
  let* refused = metric t "web_requests_refused_total" in
  check_int "counted" (List.length heads) refused;
  let* () =
    Lwt_list.iter_s
      (fun text ->
        let* answer = Raw.once t.address text in
        check_int (String.escaped text) 200 (Raw.status answer);
        Lwt.return_unit)
      [
        "GET /documents/1 HTTP/1.0\r\n\r\n";
        "\r\n\r\nGET /documents/1 HTTP/1.0\n\n";
        "GET /documents/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        "GET http://x/documents/1 HTTP/1.1\r\n\
         Host: x\r\n\
         Connection: close\r\n\
         \r\n";
      ]
  in
  Lwt.return_unit

(* A head that does not end takes no more memory than its bound. *)
let test_endless_head () =
  run ~limits:patient @@ fun t ->
  let* client = Raw.connect t.address in
  let* () = Raw.send client "GET / HTTP/1.1\r\nX: " in
  let rec flood n =
    if n = 0 then Lwt.return_unit
    else
      let* () = Raw.send client (long 100_000) in
      flood (n - 1)
  in
  let* () = flood 100 in
  let* answer = Raw.rest client in
  (* If the bytes come faster than the server drops them, the connection is
     reset, perhaps before the answer is read. *)
  if answer <> "" then check_int "status" 431 (Raw.status answer);
  let* () = Raw.close client in
  let* refused = metric t "web_requests_refused_total" in
  check_int "refused" 1 refused;
  Lwt.return_unit

(* {1 Time} *)

let test_silent () =
  run ~limits:{ patient with head = 0.2; idle = 0.2 } @@ fun t ->
  let* nothing = Raw.once t.address "" in
  check_string "no request, no answer" "" nothing;
  let* late = Raw.once t.address "GET / HTTP/1.1\r\nHo" in
  check_int "half a head" 408 (Raw.status late);
  let* client = Raw.connect t.address in
  let rec drip () =
    let* () = Raw.send client "a" in
    let* () = Lwt_unix.sleep 0.02 in
    drip ()
  in
  let dripping = drip () in
  let* dripped = Raw.rest client in
  Lwt.cancel dripping;
  check_int "byte by byte" 408 (Raw.status dripped);
  let* () = Raw.close client in
  (* A kept connection that falls silent is closed without a word. *)
  let* kept = Raw.once t.address get in
  check_int "an answer" 200 (Raw.status kept);
  Lwt.return_unit

(* {1 Room} *)

let clients n f = Lwt_list.map_s f (List.init n Fun.id)

let talking t texts =
  clients 4 @@ fun _ ->
  let* client = Raw.connect t.address in
  let* () = Raw.send client texts in
  Lwt.return client

(* Four clients have all four connections; others are served nevertheless. *)
let crowded ?gate ?page text () =
  run ~limits:{ patient with connections = 4 } ?gate ?page @@ fun t ->
  let* () =
    if gate <> None then (
      let* answer = ask t ~meth:"POST" "/jobs" in
      check_int "a job" 202 answer.status;
      Lwt.return_unit)
    else Lwt.return_unit
  in
  let* crowd = talking t text in
  let* () = expect t "/documents/1" 200 "first" in
  let* () = expect t "/documents/2" 200 "second" in
  let* closed = metric t "web_connections_closed_total" in
  if closed < 1 then Alcotest.fail "no connection was closed";
  Option.iter open_ gate;
  Lwt_list.iter_s Raw.close crowd

let large = String.make 20_000_000 'x'

(* Connections for which the server works are not closed: a client waits. *)
let test_busy () =
  let gate = gate () in
  run ~gate ~limits:{ patient with connections = 2 } @@ fun t ->
  let job () = ask t ~meth:"POST" "/jobs?wait" in
  let first = job () in
  let* () = started gate in
  let second = job () in
  let* () =
    until "two requests" (fun () -> Web.Service.requests t.service = 2)
  in
  let third = ask t "/documents/1" in
  let* () = Lwt_unix.sleep 0.1 in
  if not (Lwt.is_sleeping third) then Alcotest.fail "a third connection";
  open_ gate;
  let* first = first in
  check_int "first" 200 first.status;
  let* second = second in
  check_int "second" 200 second.status;
  let* third = third in
  check_int "third" 200 third.status;
  Lwt.return_unit

(* {1 Readers} *)

let none_left t =
  let rec look tries =
    let* n = metric t "web_connections" in
    if n = 1 then Lwt.return_unit
    else if tries = 0 then Alcotest.failf "%d connections" n
    else
      let* () = Lwt_unix.sleep 0.02 in
      look (tries - 1)
  in
  look 1000

let page = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

(* A client that takes nothing of its answer is closed. *)
let test_reader () =
  run ~page:large ~limits:{ patient with stalled = 0.2 } @@ fun t ->
  let* client = Raw.connect t.address in
  let* () = Raw.send client page in
  let* () = none_left t in
  let* came = Raw.rest client in
  if String.length came >= String.length large then Alcotest.fail "all came";
  Raw.close client

(* A slow client gets everything, if something moves. *)
let test_slow_reader () =
  run ~page:large ~limits:{ patient with stalled = 20. } @@ fun t ->
  let* client = Raw.connect t.address in
  let* () = Raw.send client page in
  let* () = Lwt_unix.sleep 0.3 in
  let* answer = Raw.answer client in
  if not (String.ends_with ~suffix:"xxx" answer) then Alcotest.fail "cut off";
  if String.length answer < String.length large then Alcotest.fail "too short";
  Raw.close client

(* Answers that nobody reads are in memory: not more than 64 MB and one. *)
let test_unsent () =
  run ~page:large ~limits:patient @@ fun t ->
  let* readers =
    clients 8 @@ fun _ ->
    let* client = Raw.connect t.address in
    let* () = Raw.send client page in
    Lwt.return client
  in
  let rec closed tries =
    let* n = metric t "web_connections_closed_total" in
    if n >= 4 then Lwt.return n
    else if tries = 0 then Alcotest.failf "%d closed" n
    else
      let* () = Lwt_unix.sleep 0.02 in
      closed (tries - 1)
  in
  let* n = closed 1000 in
  if n > 5 then Alcotest.failf "%d of 8 closed" n;
  Lwt_list.iter_s Raw.close readers

let test_pipelined () =
  run @@ fun t ->
  let* client = Raw.connect t.address in
  let n = 200 in
  let* () = Raw.send client (String.concat "" (List.init n (fun _ -> get))) in
  let* answers = clients n (fun _ -> Raw.answer client) in
  List.iter (fun a -> check_int "status" 200 (Raw.status a)) answers;
  Raw.close client

(* The end of the server waits for no client. *)
let test_stop () =
  run ~page:large ~limits:patient @@ fun t ->
  let* silent = talking t "GET / HT" in
  let* reading = talking t page in
  let rec all tries =
    let* n = metric t "web_connections" in
    if n < 9 && tries > 0 then all (tries - 1) else Lwt.return n
  in
  let* n = all 100 in
  check_int "connections" 9 n;
  let* () = Web.Service.stop ~grace:0. t.service in
  Lwt_list.iter_s Raw.close (silent @ reading)

let () =
  Watch.suite "web: clients" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "web: clients"
    [
      ( "heads",
        [ case "refused" test_heads; case "without an end" test_endless_head ]
      );
      ("time", [ case "silent and slow" test_silent ]);
      ( "room",
        [
          case "silent" (crowded "");
          case "half a head" (crowded "GET / HTTP/1.1\r\nHo");
          case "kept" (crowded get);
          case "half a body"
            (crowded
               "POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
          case "events"
            (crowded ~gate:(gate ())
               "GET /jobs/1/events HTTP/1.1\r\nHost: x\r\n\r\n");
          case "readers" (crowded ~page:large page);
          case "busy" test_busy;
        ] );
      ( "readers",
        [
          case "stalled" test_reader;
          case "slow" test_slow_reader;
          case "too much unsent" test_unsent;
        ] );
      ("pipelined", [ case "in order" test_pipelined ]);
      ("the end", [ case "waits for no client" test_stop ]);
    ]
