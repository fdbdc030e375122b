(* The server in this process: the HTTP side with computations of the test, and
   with Dromos behind. *)

open Example_http
open Fibserver
open Lwt.Syntax

let check_int = Watch.check Alcotest.int
let check_string = Watch.check Alcotest.string
let address server = Unix.ADDR_INET (Unix.inet_addr_loopback, Server.port server)
let contains = Said.contains

(* [f server] beside a server, stopped at the end. *)
let beside ?(grace = 0.) ?most ?limits ?log compute f =
  let server =
    Server.start ?most ?limits ?log ~compute
      (Server.listen ~host:"127.0.0.1" ~port:0)
  in
  Lwt.finalize (fun () -> f server) (fun () -> Server.stop ~grace server)

let with_server ?most ?limits ?log compute f =
  Dromos_lwt.run (fun () -> beside ?most ?limits ?log compute f)

let with_pool ~workers f =
  Dromos_lwt.run (fun () ->
      let pool = Dromos_lwt.Pool.start ~workers ~hub:Dromos.Hub.fifo () in
      Lwt.finalize (fun () -> f pool) (fun () -> Dromos_lwt.Pool.stop pool))

(* [f server] beside a server with a Dromos run behind; [started] and [ended]
   count its tasks. *)
let with_dromos ?grace ~workers f =
  with_pool ~workers @@ fun pool ->
  let started = Atomic.make 0 and ended = Atomic.make 0 in
  let compute n =
    Dromos_lwt.offload ~pool (fun () ->
        Atomic.incr started;
        Fun.protect
          ~finally:(fun () -> Atomic.incr ended)
          (fun () -> Fib.dromos n))
  in
  beside ?grace compute (f ~started ~ended)

let with_client server f =
  let* client = Client.connect (address server) in
  Lwt.finalize (fun () -> f client) (fun () -> Client.close client)

let get server path = with_client server (fun c -> Client.get c path)
let fib n = string_of_int (Fib.sequential n) ^ "\n"
let now = Unix.gettimeofday

(* Waits until [test ()] is true, by an action of other threads. *)
let until ?(limit = 20.) what test =
  let deadline = now () +. limit in
  let rec look () =
    if test () then Lwt.return_unit
    else if now () > deadline then Alcotest.failf "never: %s" what
    else
      let* () = Lwt_unix.sleep 0.005 in
      look ()
  in
  look ()

(* {1 Answers} *)

let test_answers () =
  with_dromos ~workers:2 @@ fun ~started:_ ~ended:_ server ->
  with_client server @@ fun client ->
  Lwt_list.iter_s
    (fun n ->
      let* status, body = Client.get client (Printf.sprintf "/fib/%d" n) in
      check_int "status" 200 status;
      check_string "body" (fib n) body;
      Lwt.return_unit)
    [ 0; 1; 2; 20; 21; 27 ]

let test_refusals () =
  with_server ~most:30 Lwt.return @@ fun server ->
  with_client server @@ fun client ->
  let expect (path, status, text) =
    let* got, body = Client.get client path in
    check_int path status got;
    if not (contains body text) then
      Alcotest.failf "%s: %S does not say %S" path body text;
    Lwt.return_unit
  in
  let* () =
    Lwt_list.iter_s expect
      [
        ("/fib/abc", 400, "\"abc\" is not a number");
        ("/fib/", 400, "\"\" is not a number");
        ("/fib/-1", 400, "not a number");
        ("/fib/0x10", 400, "not a number");
        ("/fib/1_0", 400, "not a number");
        ("/fib/31", 400, "31 is too large: this server computes fib 0 to fib 30");
        ("/fib/99999999999999999999999999", 400, "too large");
        ("/fib/" ^ String.make 5000 'x', 400, "...");
        ("/fib/3/4", 404, "/fib/3/4");
        ("/elsewhere", 404, "/fib/N");
        ("/fib/30", 200, "30");
        ("/", 200, "N from 0 to 30");
        ("/stats", 200, "\"refused\": 10");
      ]
  in
  let c = Server.counts server in
  check_int "refused" 10 c.refused;
  check_int "requests" 1 c.requests;
  Lwt.return_unit

(* A line that is not HTTP, and an unsupported method. *)
let test_raw () =
  with_server Lwt.return @@ fun server ->
  let say text =
    Lwt_io.with_connection (address server) (fun (input, output) ->
        let* () = Lwt_io.write output text in
        let* () = Lwt_io.flush output in
        Lwt_io.read_line_opt input)
  in
  let* line =
    say "POST /fib/3 HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
  in
  Watch.check
    Alcotest.(option string)
    "POST" (Some "HTTP/1.1 405 Method Not Allowed") line;
  let* line = say "\000\001\002 what is this\r\n\r\n" in
  Watch.check
    Alcotest.(option string)
    "no HTTP" (Some "HTTP/1.1 400 Bad Request") line;
  let* line = say "HEAD /fib/3 HTTP/1.1\r\nhost: x\r\n\r\n" in
  Watch.check Alcotest.(option string) "HEAD" (Some "HTTP/1.1 200 OK") line;
  let* status, _ = get server "/fib/3" in
  check_int "still serving" 200 status;
  Lwt.return_unit

let test_failure () =
  let lines = ref [] in
  let log line = lines := line :: !lines in
  with_server ~log (fun _ -> failwith "no luck") @@ fun server ->
  let* status, body = get server "/fib/3" in
  check_int "status" 500 status;
  if not (contains body "no luck") then Alcotest.fail body;
  check_int "failed" 1 (Server.counts server).failed;
  Watch.check Alcotest.(list string) "log" [ "fib 3 failed: no luck" ] !lines;
  Lwt.return_unit

(* {1 Concurrency} *)

(* Small requests are answered while a big one is being computed, even if a
   single worker computes all of them. *)
let test_small_beside_big workers () =
  with_dromos ~workers @@ fun ~started ~ended server ->
  let big = get server "/fib/45" in
  let* () = until "the big one starts" (fun () -> Atomic.get started = 1) in
  let* () =
    with_client server @@ fun client ->
    Lwt_list.iter_s
      (fun n ->
        let* status, body = Client.get client (Printf.sprintf "/fib/%d" n) in
        check_int "status" 200 status;
        check_string "body" (fib n) body;
        Lwt.return_unit)
      [ 10; 22; 25 ]
  in
  check_int "the small ones ended" 3 (Atomic.get ended);
  check_int "the big one goes on" 1 (Server.counts server).computing;
  Lwt.cancel big;
  Lwt.return_unit

let test_many () =
  with_dromos ~workers:2 @@ fun ~started:_ ~ended:_ server ->
  let one i =
    let n = 10 + (i mod 15) in
    let* status, body = get server (Printf.sprintf "/fib/%d" n) in
    check_int "status" 200 status;
    check_string "body" (fib n) body;
    Lwt.return_unit
  in
  let* () = Lwt_list.iter_p one (List.init 100 Fun.id) in
  check_int "answered" 100 (Server.counts server).answered;
  until "connections are closed" (fun () ->
      (Server.counts server).connections = 0)

let two = { Limits.default with connections = 2 }

(* Two connections that are silent after an answer, or from the beginning, have
   no more right than a third. *)
let test_connections () =
  with_server ~limits:two Lwt.return @@ fun server ->
  let ask client =
    let* status, _ = Client.get client "/fib/3" in
    check_int "status" 200 status;
    Lwt.return_unit
  in
  let* first = Client.connect (address server) in
  let* () = ask first in
  let* second = Client.connect (address server) in
  let* third = Client.connect (address server) in
  let* () = ask third in
  (* The first connection has waited longest. *)
  let* closed =
    Lwt.catch
      (fun () -> Lwt.map (fun _ -> false) (Client.get first "/fib/3"))
      (function
        | Client.Unexpected _ | Unix.Unix_error _ -> Lwt.return_true
        | e -> Lwt.reraise e)
  in
  if not closed then Alcotest.fail "the first connection is still open";
  let* () = ask second in
  Lwt_list.iter_s Client.close [ first; second; third ]

(* Connections for which the server computes are not closed: others wait. *)
let test_busy () =
  let computed, ready = Lwt.wait () in
  with_server ~limits:two (fun _ -> Lwt.protected computed) @@ fun server ->
  let first = get server "/fib/1" and second = get server "/fib/2" in
  let* () =
    until "both compute" (fun () -> (Server.counts server).computing = 2)
  in
  let third = get server "/" in
  let* () = Lwt_unix.sleep 0.1 in
  if not (Lwt.is_sleeping third) then Alcotest.fail "a third connection";
  Lwt.wakeup_later ready 5;
  let* status, body = first in
  check_int "first" 200 status;
  check_string "first" "5\n" body;
  let* status, _ = second in
  check_int "second" 200 status;
  let* status, _ = third in
  check_int "third" 200 status;
  Lwt.return_unit

(* {1 Clients that leave} *)

(* fib 45 takes seconds; it is given up long before, and its task ends. *)
let test_disconnect workers () =
  with_dromos ~workers @@ fun ~started ~ended server ->
  let* client = Client.connect (address server) in
  let answer = Client.get client "/fib/45" in
  let* () = until "it starts" (fun () -> Atomic.get started = 1) in
  let* () = Lwt_unix.sleep 0.05 in
  check_int "under way" 0 (Atomic.get ended);
  let left = now () in
  let* () = Client.close client in
  let* () = until "its task ends" (fun () -> Atomic.get ended = 1) in
  let took = now () -. left in
  Printf.printf "stopped after %.1f ms\n" (1000. *. took);
  if took > 1. then Alcotest.failf "the task went on for %.1f s" took;
  let* () =
    until "counted" (fun () ->
        let c = Server.counts server in
        c.given_up = 1 && c.computing = 0 && c.connections = 0)
  in
  let* () =
    Lwt.catch
      (fun () ->
        let* _ = answer in
        Alcotest.fail "an answer over a closed connection")
      (function
        | Client.Unexpected _ | Unix.Unix_error _ | Lwt.Canceled ->
            Lwt.return_unit
        | e -> Lwt.reraise e)
  in
  (* The workers are free again. *)
  let* status, _ = get server "/fib/25" in
  check_int "status" 200 status;
  Lwt.return_unit

(* Requests that wait for a worker are given up too, and never start. *)
let test_disconnect_waiting () =
  let gate = Mutex.create () in
  with_pool ~workers:1 @@ fun pool ->
  let started = Atomic.make 0 in
  let compute _ =
    Dromos_lwt.offload ~pool (fun () ->
        Atomic.incr started;
        Mutex.protect gate ignore;
        0)
  in
  Mutex.lock gate;
  beside compute @@ fun server ->
  let first = get server "/fib/1" in
  let* () = until "the first starts" (fun () -> Atomic.get started = 1) in
  let* client = Client.connect (address server) in
  let second = Client.get client "/fib/2" in
  let* () =
    until "the second waits" (fun () -> (Server.counts server).computing = 2)
  in
  let* () = Client.close client in
  let* () =
    until "the second is given up" (fun () ->
        (Server.counts server).given_up = 1)
  in
  Lwt.cancel second;
  Mutex.unlock gate;
  let* status, _ = first in
  check_int "the first" 200 status;
  let* status, _ = get server "/fib/3" in
  check_int "the third" 200 status;
  check_int "started" 2 (Atomic.get started);
  Lwt.return_unit

(* A client that has only shut down its sending side gets an answer. *)
let test_half_closed () =
  with_server (fun _ -> fst (Lwt.task ())) @@ fun server ->
  let fd = Lwt_unix.socket PF_INET SOCK_STREAM 0 in
  let* () = Lwt_unix.connect fd (address server) in
  let request = Bytes.of_string "GET /fib/3 HTTP/1.1\r\nhost: x\r\n\r\n" in
  let* _ = Lwt_unix.write fd request 0 (Bytes.length request) in
  Lwt_unix.shutdown fd SHUTDOWN_SEND;
  let input = Lwt_io.of_fd ~mode:Input fd in
  let* line = Lwt_io.read_line input in
  if not (String.starts_with ~prefix:"HTTP/1.1 499" line) then
    Alcotest.fail line;
  Lwt_io.close input

(* Bytes of a next request are no disconnection. *)
let test_pipelined () =
  let compute n =
    let* () = Lwt_unix.sleep 0.15 in
    Lwt.return n
  in
  with_server compute @@ fun server ->
  Lwt_io.with_connection (address server) @@ fun (input, output) ->
  let ask n = Printf.sprintf "GET /fib/%d HTTP/1.1\r\nhost: x\r\n\r\n" n in
  let* () = Lwt_io.write output (ask 3) in
  let* () = Lwt_io.flush output in
  let* () = Lwt_unix.sleep 0.02 in
  let* () = Lwt_io.write output (ask 4) in
  let* () = Lwt_io.flush output in
  let rec bodies n =
    if n = 0 then Lwt.return_unit
    else
      let* line = Lwt_io.read_line input in
      bodies (if line = "" then n - 1 else n)
  in
  let* () = bodies 2 in
  check_int "answered" 2 (Server.counts server).answered;
  Lwt.return_unit

(* {1 The end} *)

let entries dir = Array.length (Sys.readdir dir)

(* After serving, the process has the threads and descriptors of before. *)
let test_nothing_left () =
  let round () =
    with_dromos ~workers:2 @@ fun ~started ~ended:_ server ->
    let* status, _ = get server "/fib/27" in
    check_int "status" 200 status;
    (* An idle connection, a connection with a request under way, and a silent
       connection. *)
    let* idle = Client.connect (address server) in
    let* _ = Client.get idle "/fib/1" in
    let* silent = Client.connect (address server) in
    let under_way =
      Lwt.catch
        (fun () -> Lwt.map fst (get server "/fib/45"))
        (fun _ -> Lwt.return 0)
    in
    let* () = until "under way" (fun () -> Atomic.get started = 3) in
    let* () = Server.stop ~grace:0.05 server in
    let* status = under_way in
    check_int "given up" 503 status;
    let* () = Client.close idle in
    Client.close silent
  in
  let left () = (entries "/proc/self/fd", entries "/proc/self/task") in
  (* An idle worker's domain, with the pipes of its threads, stays for a while.
     The services of Lwt and of Dromos, which the first round has started, stay
     for ever. *)
  round ();
  Unix.sleepf 1.;
  let fds, threads = left () in
  round ();
  round ();
  let deadline = now () +. 20. in
  let more () =
    let f, t = left () in
    f > fds || t > threads
  in
  while more () && now () < deadline do
    Unix.sleepf 0.02
  done;
  if more () then
    let f, t = left () in
    Alcotest.failf "%d descriptors, %d threads; after the first round %d, %d" f
      t fds threads

(* Within the grace period, requests under way are answered; new requests are
   not. *)
let test_graceful () =
  let compute n =
    let* () = Lwt_unix.sleep 0.2 in
    Lwt.return n
  in
  with_server compute @@ fun server ->
  let* late = Client.connect (address server) in
  let answer = get server "/fib/7" in
  let* () =
    until "under way" (fun () -> (Server.counts server).computing = 1)
  in
  let begun = now () in
  let stopped = Server.stop ~grace:10. server in
  let* refused =
    Lwt.catch
      (fun () -> Lwt.map fst (Client.get late "/fib/8"))
      (function
        | Client.Unexpected _ | Unix.Unix_error _ -> Lwt.return 0
        | e -> Lwt.reraise e)
  in
  if refused = 200 then Alcotest.fail "answered after the stop";
  let* () = Client.close late in
  let* status, body = answer in
  check_int "status" 200 status;
  check_string "body" "7\n" body;
  let* () = stopped in
  if now () -. begun > 5. then Alcotest.fail "waited for nothing";
  Lwt.return_unit

let test_port_taken () =
  with_server Lwt.return @@ fun server ->
  (match Server.listen ~host:"127.0.0.1" ~port:(Server.port server) with
  | _ -> Alcotest.fail "two servers on a port"
  | exception Failure why ->
      if not (contains why "in use" && contains why "--port") then
        Alcotest.fail why);
  (match Server.listen ~host:"localhorst" ~port:0 with
  | _ -> Alcotest.fail "not an address"
  | exception Failure why ->
      if not (contains why "localhorst") then Alcotest.fail why);
  Lwt.return_unit

let main () =
  let case = Watch.case in
  Alcotest.run "fibserver: server"
    [
      ( "answers",
        [
          case "right ones" test_answers;
          case "refusals" test_refusals;
          case "other than GET" test_raw;
          case "a failure" test_failure;
          case "the port is taken" test_port_taken;
        ] );
      ( "concurrency",
        [
          case "small beside big, 1 worker" (test_small_beside_big 1);
          case "small beside big, 2 workers" (test_small_beside_big 2);
          case "many" test_many;
          case "connections" test_connections;
          case "busy connections" test_busy;
        ] );
      ( "disconnection",
        [
          case "stops the task, 1 worker" (test_disconnect 1);
          case "stops the task, 2 workers" (test_disconnect 2);
          case "before the task starts" test_disconnect_waiting;
          case "half closed" test_half_closed;
          case "pipelined is not closed" test_pipelined;
        ] );
      ( "the end",
        [
          case "graceful" test_graceful;
          case ~limit:120. "nothing left" test_nothing_left;
        ] );
    ]

let () = Watch.suite "fibserver: server" main
