(* The program from outside: its command line, a policy's hub, its end. *)

open Example_http
open Lwt.Syntax

let program = Sys.getenv "WEB"
let check_int = Watch.check Alcotest.int

let check_contains text part =
  if not (Said.contains text part) then
    Alcotest.failf "%S is not in:\n%s" part text

type process = { pid : int; out : in_channel; err : string  (** a file *) }

let start arguments =
  let err = Filename.temp_file "web" ".err" in
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

let serving arguments =
  let p = start ([ "--port"; "0"; "--workers"; "2" ] @ arguments) in
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
      ( "serves and ends",
        case "as it is" (serves [] [ "hub fifo" ])
        :: case "no preemption" (serves [ "--no-preempt" ] [])
        :: case "policy"
             (serves [ "--policy"; policy "ule_cwc" ] [ "hub ule_cwc" ])
        :: hh );
    ]
