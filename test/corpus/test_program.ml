(* The corpus program from outside: output and exit status. *)

let program = Sys.getenv "CORPUS"
let check_int = Alcotest.(check int)
let contains = Said.contains

let check_contains text part =
  if not (contains text part) then Alcotest.failf "%S is not in:\n%s" part text

type process = { pid : int; out : string; err : string }

let start dir arguments =
  let out = Filename.concat dir "out" and err = Filename.concat dir "err" in
  let file path = Unix.openfile path [ O_WRONLY; O_CREAT; O_TRUNC ] 0o600 in
  let stdin = Unix.openfile "/dev/null" [ O_RDONLY ] 0 in
  let stdout = file out and stderr = file err in
  let pid =
    Unix.create_process program
      (Array.of_list (program :: arguments))
      stdin stdout stderr
  in
  List.iter Unix.close [ stdin; stdout; stderr ];
  { pid; out; err }

let read path = In_channel.with_open_bin path In_channel.input_all

(* Status, standard output, standard error; a hanging program is killed. *)
let finish p =
  let deadline = Unix.gettimeofday () +. 60. in
  let rec wait () =
    match Unix.waitpid [ WNOHANG ] p.pid with
    | 0, _ ->
        if Unix.gettimeofday () > deadline then begin
          Unix.kill p.pid Sys.sigkill;
          ignore (Unix.waitpid [] p.pid);
          Alcotest.fail "the program hangs"
        end;
        Unix.sleepf 0.005;
        wait ()
    | _, WEXITED status -> status
    | _, (WSIGNALED s | WSTOPPED s) -> Alcotest.failf "ended by signal %d" s
  in
  let status = wait () in
  (status, read p.out, read p.err)

let run arguments = Tree.fresh @@ fun dir -> finish (start dir arguments)

let sample dir =
  Tree.write dir "a.txt" "a rose is a rose is a rose\n";
  Tree.write dir "b/a.txt" "a rose is a rose is a rose\n";
  Tree.write dir "b/c/d.txt" "Roses are red\nviolets are blue\n";
  Tree.write dir "binary" "some\000thing"

let known json name value =
  check_int name value Yojson.Safe.Util.(json |> member name |> to_int)

let test_known () =
  Tree.fresh @@ fun dir ->
  sample dir;
  let status, out, err = run [ "--json"; "-n"; "2"; dir; "--workers"; "3" ] in
  check_int "status" 0 status;
  Alcotest.(check string) "nothing on stderr" "" err;
  let json = Yojson.Safe.from_string out in
  List.iter
    (fun (name, value) -> known json name value)
    [
      ("files", 3);
      ("binaries", 1);
      ("lines", 4);
      ("words", 22);
      ("bytes", 27 + 27 + 31);
      ("distinct_words", 8);
      ("ngrams", 7 + 7 + 5);
      ("distinct_ngrams", 3 + 5);
      ("workers", 3);
    ];
  let top = Yojson.Safe.Util.(json |> member "top" |> index 0) in
  Alcotest.(check string)
    "most frequent" {|{"words":"a rose","count":6}|}
    (Yojson.Safe.to_string top);
  Alcotest.(check string)
    "checked" "[]"
    (Yojson.Safe.to_string (Yojson.Safe.Util.member "differences" json));
  check_int "duplicates" 1
    Yojson.Safe.Util.(json |> member "duplicates" |> to_list |> List.length)

(* Names are bytes, JSON is UTF-8. *)
let test_names () =
  Tree.fresh @@ fun dir ->
  Tree.write dir "caf\xe9.txt" "one two three";
  Tree.write dir "caf\xc3\xa9.txt" "one two three";
  let status, out, _ = run [ "--json"; "--rounds"; "1"; dir ] in
  check_int "status" 0 status;
  Alcotest.(check bool) "UTF-8" true (String.is_valid_utf_8 out);
  check_contains out "caf\u{FFFD}.txt";
  check_contains out "caf\u{E9}.txt"

(* A line on standard error, and no exception. *)
let test_full () =
  if not (Sys.file_exists "/dev/full") then Alcotest.skip ();
  Tree.fresh @@ fun dir ->
  sample dir;
  let err = Filename.concat dir "err" in
  List.iter
    (fun json ->
      let status =
        Sys.command
          (Filename.quote_command program ~stdout:"/dev/full" ~stderr:err
             (json @ [ "--rounds"; "1"; Filename.concat dir "b" ]))
      in
      check_int "status" 1 status;
      Alcotest.(check string)
        "said" "corpus: No space left on device\n" (read err))
    [ []; [ "--json" ] ]

let test_full_help () =
  if not (Sys.file_exists "/dev/full") then Alcotest.skip ();
  Tree.fresh @@ fun dir ->
  let err = Filename.concat dir "err" in
  let status =
    Sys.command
      (Filename.quote_command program ~stdout:"/dev/full" ~stderr:err
         [ "--help=plain" ])
  in
  check_int "status" 2 status;
  Alcotest.(check string)
    "said" "standard output: No space left on device\n" (read err)

let test_tables () =
  Tree.fresh @@ fun dir ->
  sample dir;
  let status, out, err = run [ dir ] in
  check_int "status" 0 status;
  Alcotest.(check string) "no bar without a terminal" "" err;
  List.iter (check_contains out)
    [
      "text files";
      "binary files, skipped";
      "a rose is";
      "speed-up";
      "steals";
      "Every figure is the same as in the sequential pass.";
    ]

let test_hubs () =
  Tree.fresh @@ fun dir ->
  sample dir;
  List.iter
    (fun hub ->
      let name = Dromos.Hub.name hub in
      let status, out, _ = run [ "--hub"; name; "--workers"; "2"; dir ] in
      check_int name 0 status;
      check_contains out ("hub " ^ name))
    Dromos.Hub.all

let test_seconds () =
  Tree.fresh @@ fun dir ->
  sample dir;
  let arguments = [ "--rounds"; "2"; "--workers"; "2"; dir ] in
  let status, out, _ = run ([ "--json"; "--seconds"; "0.05" ] @ arguments) in
  check_int "status" 0 status;
  let json = Yojson.Safe.from_string out in
  let open Yojson.Safe.Util in
  let times = json |> member "times" |> to_int in
  if times < 2 then Alcotest.failf "%d times" times;
  (* The figures are those of one job. *)
  known json "words" 22;
  Alcotest.(check string)
    "checked" "[]"
    (Yojson.Safe.to_string (member "differences" json));
  let status, out, _ = run ([ "--seconds"; "0.05" ] @ arguments) in
  check_int "status" 0 status;
  check_contains out "a pass does the job ";
  check_contains out "The workers had ";
  let _, out, _ = run arguments in
  check_contains out "--seconds 1 repeats it"

let test_chart () =
  Tree.fresh @@ fun dir ->
  sample dir;
  Tree.fresh @@ fun elsewhere ->
  let page = Filename.concat elsewhere "run.html" in
  let status, out, err =
    run [ "--json"; "--rounds"; "1"; "--chart"; page; dir ]
  in
  check_int "status" 0 status;
  ignore (Yojson.Safe.from_string out : Yojson.Safe.t);
  check_contains err ("open file://" ^ Unix.realpath page);
  let text = read page in
  List.iter (check_contains text)
    [ "<!doctype html>"; "reading and counting"; "counting phrases" ];
  let status, _, err =
    run [ "--rounds"; "1"; "--chart"; "/no/such/page.html"; dir ]
  in
  check_int "no page" 1 status;
  check_contains err "corpus: /no/such/page.html: No such file or directory";
  let status, _, err = run [ "--mpi"; "--chart"; page; dir ] in
  check_int "ranks" 2 status;
  check_contains err "--mpi"

let test_bad_path () =
  let status, out, err = run [ "/no/such/place" ] in
  check_int "status" 2 status;
  Alcotest.(check string) "nothing printed" "" out;
  Alcotest.(check string)
    "one message" "corpus: /no/such/place: No such file or directory\n" err;
  let status, _, err = run [ "/dev/null" ] in
  check_int "status" 2 status;
  check_contains err "neither a directory nor a regular file"

let test_bad_option () =
  List.iter
    (fun arguments ->
      let status, _, err = run arguments in
      check_int (String.concat " " arguments) 2 status;
      Alcotest.(check bool) "says why" true (err <> ""))
    [
      [ "--workers"; "0" ];
      [ "--workers"; "999" ];
      [ "-n"; "x" ];
      [ "--hub"; "none" ];
      [ "--nonsense" ];
    ]

let test_empty () =
  Tree.fresh @@ fun dir ->
  let status, out, _ = run [ dir ] in
  check_int "status" 0 status;
  check_contains out "No duplicate files."

(* The superuser can read every file, except the first page of its own memory
   through /proc. *)
let test_unreadable () =
  Tree.fresh @@ fun dir ->
  sample dir;
  let secret = Filename.concat dir "b/secret" in
  Tree.write dir "b/secret" "x";
  Unix.chmod secret 0;
  let superuser = Unix.geteuid () = 0 in
  if superuser && not (Sys.file_exists "/proc/self/mem") then Alcotest.skip ();
  let path = if superuser then "/proc/self/mem" else secret in
  let status, out, err = run (if superuser then [ dir; path ] else [ dir ]) in
  check_int "status" 1 status;
  check_contains out "Every figure is the same";
  (match String.split_on_char '\n' err with
  | [ line; "" ] ->
      if not (String.starts_with ~prefix:("corpus: " ^ path ^ ": ") line) then
        Alcotest.fail line
  | _ -> Alcotest.failf "not one line: %s" err);
  if not superuser then begin
    let closed = Filename.concat dir "closed" in
    Unix.mkdir closed 0;
    let status, _, err = run [ dir ] in
    check_int "a directory: status" 1 status;
    check_contains err (closed ^ ": Permission denied")
  end

(* Ctrl-C in the middle of the work; the work is long. If the program was over,
   or had not begun, the test tries again with another delay. *)
let test_interrupt () =
  Tree.fresh @@ fun dir ->
  let text = String.concat " " (List.init 20_000 string_of_int) in
  let text = String.map (function '0' -> 'o' | '1' -> 'i' | c -> c) text in
  for i = 1 to 120 do
    Tree.write dir (Printf.sprintf "t/%d" i) (Printf.sprintf "%d %s" i text)
  done;
  let tree = Filename.concat dir "t" in
  let attempt delay =
    Tree.fresh @@ fun logs ->
    let p = start logs [ "--rounds"; "50"; "--workers"; "2"; tree ] in
    Unix.sleepf delay;
    Unix.kill p.pid Sys.sigint;
    let sent = Unix.gettimeofday () in
    let status, out, err = finish p in
    check_int "status" 130 status;
    Alcotest.(check string) "no half results" "" out;
    check_contains err "corpus: interrupted";
    let waited = Unix.gettimeofday () -. sent in
    if waited > 5. then Alcotest.failf "took %.1f s to stop" waited
  in
  List.iter attempt [ 0.3; 0.7; 1.1 +. Random.float 0.5 ]

let () =
  Random.self_init ();
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "corpus: program"
    [
      ( "figures",
        [
          case "known answers" test_known;
          case "tables" test_tables;
          case "names that are not UTF-8" test_names;
          case "every hub" test_hubs;
          case "a repeated job" test_seconds;
          case "a chart" test_chart;
          case "an empty directory" test_empty;
        ] );
      ( "trouble",
        [
          case "bad path" test_bad_path;
          case "bad option" test_bad_option;
          case "unreadable file" test_unreadable;
          case "a full disk" test_full;
          case "help on a full disk" test_full_help;
          case "Ctrl-C" test_interrupt;
        ] );
    ]
