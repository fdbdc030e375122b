(* The program from outside: its command line, a policy's hub, its end. *)

open Example_http
open Lwt.Syntax

let program = Sys.getenv "WEB"
let check_int = Watch.check Alcotest.int

let check_contains text part =
  if not (Said.contains text part) then
    Alcotest.failf "%S is not in:\n%s" part text

type process = { pid : int; out : in_channel; err : string  (** a file *) }

(* With [descriptors], the process may have no more than these. *)
let start ?descriptors arguments =
  let command =
    match descriptors with
    | None -> program :: arguments
    | Some n ->
        let script = Printf.sprintf "ulimit -n %d; exec \"$0\" \"$@\"" n in
        "/bin/sh" :: "-c" :: script :: program :: arguments
  in
  let err = Filename.temp_file "web" ".err" in
  let err_fd = Unix.openfile err [ O_WRONLY; O_CLOEXEC ] 0o600 in
  let null = Unix.openfile "/dev/null" [ O_RDONLY; O_CLOEXEC ] 0 in
  let out, out_child = Unix.pipe ~cloexec:true () in
  let pid =
    Unix.create_process (List.hd command) (Array.of_list command) null out_child
      err_fd
  in
  List.iter Unix.close [ err_fd; null; out_child ];
  { pid; out = Unix.in_channel_of_descr out; err }

(* The watchdog of the suite ends a hanging program. *)
let finish p =
  let status =
    match Unix.waitpid [] p.pid with
    | _, WEXITED status -> status
    | _, (WSIGNALED s | WSTOPPED s) -> Alcotest.failf "ended by signal %d" s
  in
  let err = In_channel.with_open_bin p.err In_channel.input_all in
  close_in p.out;
  Sys.remove p.err;
  (status, err)

let refused arguments status texts =
  let got, err = finish (start arguments) in
  check_int (String.concat " " arguments ^ ": " ^ err) status got;
  List.iter (check_contains err) texts

let serving ?descriptors arguments =
  let p =
    start ?descriptors ([ "--port"; "0"; "--workers"; "2" ] @ arguments)
  in
  match In_channel.input_line p.out with
  | None -> Alcotest.fail (snd (finish p))
  | Some line -> (p, Scanf.sscanf line "web: http://127.0.0.1:%d/" Fun.id, line)

let with_client port f =
  let* client = Client.connect (ADDR_INET (Unix.inet_addr_loopback, port)) in
  Lwt.finalize (fun () -> f client) (fun () -> Client.close client)

let test_command_line () =
  refused [ "--workers"; "0" ] 2 [ "number of workers" ];
  refused [ "--waiting"; "none" ] 2 [ "number of jobs" ];
  refused [ "--compute"; "elsewhere" ] 2 [ "elsewhere" ];
  refused [ "--connections"; "0" ] 2 [ "number of connections" ];
  refused [ "--head-time"; "0" ] 2 [ "time" ];
  refused [ "--largest"; "0" ] 2 [ "number of bytes" ];
  refused [ "--documents"; "/no/such/folder" ] 2 [ "/no/such/folder" ];
  refused
    [ "--policy"; "/no/such.policy" ]
    1
    [ "there is no file /no/such.policy" ];
  refused [ "--database"; "/no/such/folder/file" ] 1 [ "web: " ];
  refused [ "--host"; "nowhere" ] 1 [ "is not the number of an address" ];
  refused
    [ "--compute"; "loop"; "--policy"; "any" ]
    1
    [ "--policy is for --compute dromos" ];
  let policy = Filename.temp_file "bad" ".policy" in
  Out_channel.with_open_bin policy (fun out ->
      output_string out "# no policy\n");
  refused [ "--policy"; policy ] 1 [ "is not compiled"; ":1:1:" ];
  Sys.remove policy

(* From the program's first line to Ctrl-C. *)
let test_serves arguments texts () =
  let p, port, line = serving arguments in
  List.iter (check_contains line) texts;
  let answer =
    Lwt_main.run
      (with_client port (fun client ->
           let* () =
             Lwt.map
               (fun (a : Client.answer) -> check_int "search" 200 a.status)
               (Client.request client "/documents?q=fold")
           in
           Client.request client ~meth:"POST" "/jobs?wait"))
  in
  check_int answer.body 200 answer.status;
  check_contains answer.body {|"state":"finished"|};
  Unix.kill p.pid Sys.sigint;
  let status, err = finish p in
  check_int "status" 0 status;
  check_contains err "stopping";
  check_contains err "jobs: 1 finished, 0 cancelled"

let in_use () =
  let p, port, _ = serving [] in
  refused [ "--port"; string_of_int port ] 1 [ "take another --port" ];
  Unix.kill p.pid Sys.sigterm;
  check_int "status" 0 (fst (finish p))

(* {1 Trouble} *)

let stop p =
  Unix.kill p.pid Sys.sigterm;
  let status, err = finish p in
  check_int "status" 0 status;
  err

let with_database f =
  let folder = Filename.temp_dir "web" "" in
  Fun.protect
    ~finally:(fun () ->
      Array.iter
        (fun name -> Sys.remove (Filename.concat folder name))
        (Sys.readdir folder);
      Sys.rmdir folder)
    (fun () -> f [ "--database"; Filename.concat folder "test.sqlite" ])

let post port path =
  Lwt_main.run
    (with_client port (fun client -> Client.request client ~meth:"POST" path))

let get port path =
  Lwt_main.run (with_client port (fun client -> Client.get client path))

let submit port =
  let answer = post port "/jobs" in
  check_int answer.body 202 answer.status;
  Scanf.sscanf answer.body {|{"id":%d|} Fun.id

let rec over port id =
  let status, body = get port (Printf.sprintf "/jobs/%d" id) in
  check_int body 200 status;
  if Said.contains body {|"finished"|} then "finished"
  else if Said.contains body {|"lost"|} then "lost"
  else if Said.contains body "ing\"" then begin
    Unix.sleepf 0.02;
    over port id
  end
  else Alcotest.fail body

(* Accepted jobs outlive a server that is killed, and no number comes twice. *)
let test_killed () =
  with_database @@ fun database ->
  let p, port, _ = serving database in
  let jobs = List.init 4 (fun _ -> submit port) in
  Watch.check Alcotest.(list int) "numbers" [ 1; 2; 3; 4 ] jobs;
  Unix.kill p.pid Sys.sigkill;
  ignore (Unix.waitpid [] p.pid);
  close_in p.out;
  Sys.remove p.err;
  let p, port, _ = serving database in
  check_int "a new number" 5 (submit port);
  let ends = List.map (over port) jobs in
  (* One job ran at a time. *)
  if List.length (List.filter (( = ) "lost") ends) > 1 then
    Alcotest.fail (String.concat ", " ends);
  Watch.check Alcotest.string "the last" "finished" (over port 5);
  ignore (stop p : string)

let test_second () =
  with_database @@ fun database ->
  let p, _, _ = serving database in
  refused ([ "--port"; "0" ] @ database) 1 [ "another server uses" ];
  ignore (stop p : string);
  let p, _, _ = serving database in
  ignore (stop p : string)

(* Jobs that wait at the end are named, and run at the next start. *)
let test_left () =
  with_database @@ fun database ->
  let p, port, _ = serving (database @ [ "--grace"; "0" ]) in
  let first = submit port in
  let rest = List.init 5 (fun _ -> submit port) in
  check_contains (stop p) "wait for the next start";
  let p, port, _ = serving database in
  List.iter
    (fun id -> Watch.check Alcotest.string "end" "finished" (over port id))
    (first :: rest);
  ignore (stop p : string)

let connected port n =
  let address = Unix.ADDR_INET (Unix.inet_addr_loopback, port) in
  List.init n (fun _ ->
      let fd = Unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
      Unix.connect fd address;
      fd)

(* Far more clients than descriptors. *)
let test_descriptors () =
  let p, port, _ = serving ~descriptors:100 [] in
  let clients = connected port 200 in
  for _ = 1 to 3 do
    check_int "served" 200 (fst (get port "/documents?q=fold"))
  done;
  List.iter Unix.close clients;
  check_contains (stop p) "at most 36 connections"

(* The descriptors run out while the server runs: room is made, and the log has
   one line. *)
let test_no_descriptors () =
  let p, port, _ = serving [] in
  check_int "served" 200 (fst (get port "/documents/1"));
  let folder = Printf.sprintf "/proc/%d/fd" p.pid in
  let used = try Array.length (Sys.readdir folder) with Sys_error _ -> 50 in
  let limit = used + 6 in
  let prlimit =
    Printf.sprintf "prlimit --pid %d --nofile=%d:%d 2>/dev/null" p.pid limit
      limit
  in
  let limited = Sys.command prlimit = 0 in
  let clients = connected port 50 in
  for _ = 1 to 3 do
    check_int "served" 200 (fst (get port "/documents/1"))
  done;
  List.iter Unix.close clients;
  let lines = String.split_on_char '\n' (stop p) in
  let said = List.filter (fun l -> Said.contains l "cannot accept") lines in
  if limited then check_int "lines" 1 (List.length said)
  else print_endline "no prlimit here: the descriptors did not run out"

(* A failure is one line on standard error and an answer. *)
let test_failure () =
  with_database @@ fun database ->
  let p, port, _ = serving database in
  let db = Documents.Sql.open_ (List.nth database 1) in
  Documents.Sql.run db "DROP TABLE words";
  Documents.Sql.close db;
  check_int "status" 500 (fst (get port "/documents?q=fold"));
  let lines = String.split_on_char '\n' (stop p) in
  let said = List.filter (fun l -> Said.contains l "no such table") lines in
  check_int "lines" 1 (List.length said);
  check_contains (List.hd said) {|web: GET "/documents?q=fold": |}

(* The path from _build/default/test/web. *)
let policy name = "../../policy/policies/" ^ name ^ ".policy"

let variant =
  Sys.file_exists
    (List.fold_left Filename.concat (Filename.dirname program)
       [ "hh"; "main.exe" ])

let () =
  Watch.suite "web: program" @@ fun () ->
  let case = Watch.case in
  let serves = test_serves in
  let hh =
    if variant then
      [
        case "--hh" (serves [ "--hh" ] [ "hub fifo" ]);
        case "all parts"
          (serves [ "--hh"; "--policy"; policy "cfs_cwc" ] [ "hub cfs_cwc" ]);
      ]
    else begin
      print_endline "no runtime variant here: --hh is refused";
      [ case "--hh" (fun () -> refused [ "--hh" ] 1 [ "is not there" ]) ]
    end
  in
  Alcotest.run "web: program"
    [
      ( "command line",
        [ case "bad ones" test_command_line; case "port in use" in_use ] );
      ( "trouble",
        [
          case "killed" test_killed;
          case "two servers" test_second;
          case "jobs are left" test_left;
          case "few descriptors" test_descriptors;
          case "no descriptors" test_no_descriptors;
          case "a failure" test_failure;
        ] );
      ( "serves and ends",
        case "as it is" (serves [] [ "hub fifo" ])
        :: case "no preemption" (serves [ "--no-preempt" ] [])
        :: case "policy"
             (serves [ "--policy"; policy "ule_cwc" ] [ "hub ule_cwc" ])
        :: hh );
    ]
