(* The server's program from outside: command line, port, end. *)

open Example_http
open Lwt.Syntax

let program = Sys.getenv "FIBSERVER"
let check_int = Watch.check Alcotest.int
let contains = Said.contains

let check_contains text part =
  if not (contains text part) then Alcotest.failf "%S is not in:\n%s" part text

type process = { pid : int; out : in_channel; err : string  (** a file *) }

let start arguments =
  let err = Filename.temp_file "fibserver" ".err" in
  let err_fd = Unix.openfile err [ O_WRONLY; O_CLOEXEC ] 0o600 in
  let null = Unix.openfile "/dev/null" [ O_RDONLY; O_CLOEXEC ] 0 in
  let out, out_child = Unix.pipe ~cloexec:true () in
  let pid =
    Unix.create_process program
      (Array.of_list (program :: arguments))
      null out_child err_fd
  in
  List.iter Unix.close [ err_fd; null; out_child ];
  { pid; out = Unix.in_channel_of_descr out; err }

(* The exit status, the rest of standard output, standard error. *)
let finish p =
  let deadline = Unix.gettimeofday () +. 30. in
  let rec wait () =
    match Unix.waitpid [ WNOHANG ] p.pid with
    | 0, _ when Unix.gettimeofday () > deadline ->
        Unix.kill p.pid Sys.sigkill;
        ignore (Unix.waitpid [] p.pid);
        Alcotest.fail "the program hangs"
    | 0, _ ->
        Unix.sleepf 0.005;
        wait ()
    | _, WEXITED status -> status
    | _, (WSIGNALED s | WSTOPPED s) -> Alcotest.failf "ended by signal %d" s
  in
  let status = wait () in
  let out = In_channel.input_all p.out in
  let err = In_channel.with_open_bin p.err In_channel.input_all in
  close_in p.out;
  Sys.remove p.err;
  (status, out, err)

let refused arguments status texts =
  let got, out, err = finish (start arguments) in
  check_int (String.concat " " arguments) status got;
  Watch.check Alcotest.string "nothing on standard output" "" out;
  List.iter (check_contains err) texts

(* A running server; its first line has the port. *)
let serving arguments =
  let p = start ([ "--port"; "0" ] @ arguments) in
  match In_channel.input_line p.out with
  | None ->
      let _, _, err = finish p in
      Alcotest.fail err
  | Some line ->
      let port =
        Scanf.sscanf line "fibserver: http://127.0.0.1:%d/fib/30, %_d worker"
          Fun.id
      in
      (p, port)

let address port = Unix.ADDR_INET (Unix.inet_addr_loopback, port)

let get port path =
  let* client = Client.connect (address port) in
  Lwt.finalize
    (fun () -> Client.get client path)
    (fun () -> Client.close client)

let computing port n =
  let rec look tries =
    let* _, body = get port "/stats" in
    if contains body (Printf.sprintf "\"computing\": %d," n) then
      Lwt.return_unit
    else if tries = 0 then Alcotest.fail body
    else
      let* () = Lwt_unix.sleep 0.005 in
      look (tries - 1)
  in
  look 2000

let test_command_line () =
  refused [ "--port"; "99999" ] 2 [ "99999"; "port" ];
  refused [ "--port"; "http" ] 2 [ "http" ];
  refused [ "--workers"; "0" ] 2 [ "number of workers"; "1 to 128" ];
  refused [ "--max-n"; "91" ] 2 [ "0 to 90" ];
  refused [ "--what" ] 2 [ "--what" ];
  refused [ "--host"; "nowhere" ] 1 [ "nowhere"; "127.0.0.1" ]

let test_serves () =
  let p, port = serving [ "--workers"; "2"; "--max-n"; "30" ] in
  refused [ "--port"; string_of_int port ] 1 [ "in use"; "--port" ];
  let status, body = Lwt_main.run (get port "/fib/30") in
  check_int "status" 200 status;
  Watch.check Alcotest.string "body" "832040\n" body;
  let status, body = Lwt_main.run (get port "/fib/31") in
  check_int "too large" 400 status;
  check_contains body "0 to fib 30";
  Unix.kill p.pid Sys.sigint;
  let status, _, err = finish p in
  check_int "status" 0 status;
  check_contains err "1 requests: 1 answered"

(* A server without requests is no deadlock. *)
let test_idle () =
  let p, port = serving [ "--workers"; "2" ] in
  let status, _ = Lwt_main.run (get port "/fib/25") in
  check_int "status" 200 status;
  Unix.sleepf 2.;
  Unix.kill p.pid Sys.sigint;
  let _, _, err = finish p in
  Watch.check Alcotest.string "nothing else"
    "fibserver: stopping\n\
     fibserver: 1 requests: 1 answered, 0 given up, 0 failed; 0 more refused\n"
    err

(* The first signal waits for an answer (fib 38: some tenths of a second). *)
let test_graceful signal () =
  let p, port = serving [ "--workers"; "1"; "--grace"; "25" ] in
  let status, body =
    Lwt_main.run
      (let answer = get port "/fib/38" in
       let* () = computing port 1 in
       Unix.kill p.pid signal;
       answer)
  in
  check_int "answered" 200 status;
  Watch.check Alcotest.string "body" "39088169\n" body;
  let status, _, err = finish p in
  check_int "status" 0 status;
  check_contains err "stopping after 1 request under way"

(* The second signal does not wait for an answer. *)
let test_impatient () =
  let p, port = serving [ "--workers"; "2"; "--grace"; "3600" ] in
  let begun = Unix.gettimeofday () in
  let status, _ =
    Lwt_main.run
      (let answer = get port "/fib/45" in
       let* () = computing port 1 in
       Unix.kill p.pid Sys.sigint;
       let* () = Lwt_unix.sleep 0.1 in
       Unix.kill p.pid Sys.sigint;
       answer)
  in
  check_int "given up" 503 status;
  let status, _, err = finish p in
  check_int "status" 0 status;
  check_contains err "giving up";
  check_contains err "1 given up";
  let took = Unix.gettimeofday () -. begun in
  Printf.printf "%.2f s\n" took

(* A signal with an expired grace period does not wait either. *)
let test_grace_over () =
  let p, port = serving [ "--workers"; "1"; "--grace"; "0.1" ] in
  let status, _ =
    Lwt_main.run
      (let answer = get port "/fib/45" in
       let* () = computing port 1 in
       Unix.kill p.pid Sys.sigint;
       answer)
  in
  check_int "given up" 503 status;
  let status, _, err = finish p in
  check_int "status" 0 status;
  check_contains err "1 given up"

let main () =
  let case = Watch.case in
  Alcotest.run "fibserver: program"
    [
      ( "command line",
        [
          case "bad ones" test_command_line;
          case "serves and ends" test_serves;
          case "idle" test_idle;
        ] );
      ( "the end",
        [
          case "Ctrl-C answers first" (test_graceful Sys.sigint);
          case "SIGTERM answers first" (test_graceful Sys.sigterm);
          case "Ctrl-C twice gives up" test_impatient;
          case "the grace runs out" test_grace_over;
        ] );
    ]

let () = Watch.suite "fibserver: program" main
