(* The lab's command line: the arguments refused, and the error messages. *)

open Bench_driver
open Lab

let said = Filename.temp_file "bench" ".txt"

(* The command's output. On other terminals cmdliner 2 sets options in bold, not
   in quotes. *)
let refused arguments =
  let command =
    "TERM=dumb "
    ^ Filename.quote_command main arguments ~stdout:said ~stderr:said
  in
  let status = Sys.command command in
  let text = In_channel.with_open_bin said In_channel.input_all in
  let line = String.concat " " arguments in
  if status = 0 then Alcotest.failf "%s was not refused:\n%s" line text;
  text

let says parts arguments =
  let text = refused arguments in
  List.iter
    (fun part ->
      if not (contains text part) then
        Alcotest.failf "%s: %S is not in:\n%s"
          (String.concat " " arguments)
          part text)
    parts

(* Joins the lines that Cmdliner has wrapped: a continuation line begins with
   spaces. *)
let messages text =
  let add before line =
    match before with
    | last :: rest when String.starts_with ~prefix:" " line ->
        (last ^ " " ^ String.trim line) :: rest
    | _ -> line :: before
  in
  List.rev (List.fold_left add [] (String.split_on_char '\n' text))

let range arguments option range =
  let text = refused arguments in
  let in_one message = contains message option && contains message range in
  if not (List.exists in_one (messages text)) then
    Alcotest.failf "no message has %S and %S:\n%s" option range text

let ranges () =
  let at_least_one = "not a number of at least 1" in
  range [ "--runs"; "0" ] "'--runs'" at_least_one;
  range [ "--runs"; "many" ] "'--runs'" at_least_one;
  range [ "--size=-3" ] "'--size'" at_least_one;
  range [ "--max-rss"; "0" ] "'--max-rss'" at_least_one;
  range [ "--workers"; "0" ] "'--workers'" "not a list of numbers from 1 to 128";
  range [ "--workers"; "1,129" ] "'--workers'"
    "not a list of numbers from 1 to 128";
  range [ "--cutoffs=-1" ] "'--cutoffs'" "not a list of numbers of at least 0";
  range [ "--limit"; "0" ] "'--limit'" "not a number of seconds above 0";
  range [ "--seconds"; "0" ] "'--seconds'" "not a number of seconds above 0";
  range [ "--seconds"; "nan" ] "'--seconds'" "not a number of seconds above 0"

let files () =
  let directory = Filename.get_temp_dir_name () in
  range [ "--from"; directory ] "'--from'" directory;
  range [ "--from"; "nosuch.json" ] "'--from'" "nosuch.json"

(* A plan that ends late: an output that cannot be written is refused before. *)
let unwritable () =
  let long = [ "--growth"; "--only"; "grow_forks"; "--workers"; "1" ] in
  let folder = Filename.get_temp_dir_name () in
  let absent = Filename.concat folder "no such folder" in
  let said_file = Filename.concat said "plots" in
  says [ said ^ ": not a directory" ] (long @ [ "--plots"; said ]);
  says [ said ^ ": not a directory" ] (long @ [ "--plots"; said_file ]);
  says [ folder ^ ": Is a directory" ] (long @ [ "--json"; folder ]);
  says
    [ absent; "No such file or directory" ]
    (long @ [ "--json"; Filename.concat absent "rows.json" ])

let combinations () =
  says
    [ "fib is not one of --growth's"; "grow_tasks"; "contend_mutex" ]
    [ "--growth"; "--only"; "fib" ];
  says
    [ "--growth and --verdict do not combine" ]
    [ "--growth"; "--verdict"; "--only"; "grow_tasks" ];
  says
    [ "--verdict and --only grow_tasks do not combine" ]
    [ "--verdict"; "--only"; "fib,grow_tasks" ];
  says
    [ "--verdict and --only idle do not combine" ]
    [ "--verdict"; "--only"; "idle"; "--schedulers"; "dromos" ]

let names () =
  says
    [ "\"nosuch\""; "fib_nocutoff"; "five"; "grow_tasks"; "contend_mutex" ]
    [ "--only"; "nosuch" ];
  says
    ("\"nosuch\"" :: "sequential" :: Roster.missing)
    [ "--schedulers"; "nosuch" ];
  says
    [ "nothing to measure"; "futex"; "mcss" ]
    [ "--only"; "mcss"; "--schedulers"; "futex" ]

let suites () =
  says
    [ "--size is an option of --suite lab alone" ]
    [ "--suite"; "heap"; "--size"; "3" ];
  says
    [ "--stress is an option of --suite heap alone" ]
    [ "--stress"; "--only"; "fib" ];
  says [ "\"fib\""; "msort-int64" ] [ "--suite"; "heap"; "--only"; "fib" ]

(* {1 The suite of the heap} *)

let lists ~lab ~heap arguments =
  let text = call ("--list" :: arguments) in
  let has part there = Alcotest.(check bool) part there (contains text part) in
  has "fib_nocutoff" lab;
  has "msort-int64" heap

let both_lists () =
  lists ~lab:true ~heap:true [];
  lists ~lab:true ~heap:false [ "--suite"; "lab" ];
  lists ~lab:false ~heap:true [ "--suite"; "heap" ]

(* Calls [f] with a file of rows of the benchmark. *)
let with_rows bench f =
  let file = Filename.temp_file "bench" ".json" in
  Row.write file
    (run ~bench [ shell "elision" (Lab.says 1.); shell "stock" (Lab.says 2.) ]);
  Fun.protect (fun () -> f file) ~finally:(fun () -> Sys.remove file)

(* The command with an environment variable of its own, [mark], in place of
   [mark]'s former value. *)
let start ?(mark = "BENCH_TEST=1") ~out arguments =
  let argv = Array.of_list (main :: arguments) in
  let environment = Array.append [| mark |] (Unix.environment ()) in
  Unix.create_process_env main argv environment Unix.stdin out Unix.stderr

let ended pid = snd (Interrupted.retry (fun () -> Unix.waitpid [] pid))

(* The reader of standard output has left: the rows are kept. *)
let no_reader () =
  let kept more bench =
    with_rows bench @@ fun from ->
    let json = Filename.temp_file "bench" ".json" in
    let reader, out = Unix.pipe ~cloexec:true () in
    Unix.close reader;
    let pid = start ~out ([ "--from"; from; "--json"; json ] @ more) in
    Unix.close out;
    ignore (ended pid : Unix.process_status);
    let rows = List.length (Row.read json) in
    Sys.remove json;
    Alcotest.(check int) bench (List.length (Row.read from)) rows
  in
  kept [ "--verdict" ] "fib_nocutoff";
  kept [ "--growth" ] "grow_forks";
  kept [ "--suite"; "heap" ] "mcss"

(* A file of rows that no lab has written. *)
let wrong_rows () =
  with_rows "grow_forks" @@ fun from ->
  let changed (name, value) =
    let change = function
      | `Assoc fields -> `Assoc ((name, value) :: List.remove_assoc name fields)
      | json -> json
    in
    let json =
      match Yojson.Safe.from_file from with
      | `Assoc [ cores; ocaml; profile; ("rows", `List rows) ] ->
          `Assoc
            [ cores; ocaml; profile; ("rows", `List (List.map change rows)) ]
      | json -> json
    in
    let copy = from ^ ".wrong" in
    Yojson.Safe.to_file copy json;
    let options = [ []; [ "--growth" ]; [ "--verdict" ] ] in
    Fun.protect ~finally:(fun () -> Sys.remove copy) @@ fun () ->
    List.iter
      (fun more ->
        says
          [ "bench: " ^ copy ^ ": "; "expected in a row" ]
          ([ "--from"; copy ] @ more))
      options
  in
  List.iter changed
    [
      ("n", `Int 0);
      ("n", `Int (-1));
      ("n", `Null);
      ("workers", `Int 0);
      ("bench", `Int 1);
      ("cpu_s", `String "1");
      ("runs_s", `Float 1.);
      ("grown_kib", `List []);
    ]

(* {1 Signals} *)

let processes () =
  Array.to_list (Sys.readdir "/proc") |> List.filter_map int_of_string_opt

let environment pid =
  let file = Printf.sprintf "/proc/%d/environ" pid in
  try In_channel.with_open_bin file In_channel.input_all
  with Sys_error _ -> ""

(* The programs that the marked command has started. *)
let marked mark =
  List.filter (fun pid -> contains (environment pid) mark) (processes ())

(* The signal comes while a program of the lab runs, or between two. *)
let interrupted signal status () =
  let folder = Filename.temp_dir "bench" "" in
  let json = Filename.concat folder "rows.json" in
  let plots = Filename.concat folder "plots" in
  let mark = "TMPDIR=" ^ folder in
  let out = Unix.openfile said [ O_WRONLY ] 0 in
  Sys.set_signal signal Signal_default;
  let pid =
    start ~mark ~out
      [
        "--growth";
        "--only";
        "grow_forks";
        "--workers";
        "1";
        "--json";
        json;
        "--plots";
        plots;
      ]
  in
  Unix.close out;
  while List.for_all (Int.equal pid) (marked mark) do
    Unix.sleepf 0.001
  done;
  Unix.kill pid signal;
  (match ended pid with
  | WEXITED n -> Alcotest.(check int) "status" status n
  | WSIGNALED _ | WSTOPPED _ -> Alcotest.fail "not ended by exit");
  Alcotest.(check (list int)) "no program runs on" [] (marked mark);
  Alcotest.(check (array string)) "files" [| "plots" |] (Sys.readdir folder);
  Alcotest.(check (array string)) "drawings" [||] (Sys.readdir plots);
  Folders.remove folder

let signals =
  let case name signal status =
    Alcotest.test_case name `Quick (interrupted signal status)
  in
  if Sys.file_exists "/proc/self/environ" then
    [ case "SIGINT" Sys.sigint 130; case "SIGTERM" Sys.sigterm 143 ]
  else []

let kept_rows () =
  let text =
    with_rows "mcss" (fun file -> call [ "--suite"; "heap"; "--from"; file ])
  in
  let has part = Alcotest.(check bool) part true (contains text part) in
  List.iter has [ "stock, P = 1"; "Geometric means over the programs" ]

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "command"
    [
      ( "refused",
        [
          case "numbers out of their range" ranges;
          case "files that cannot be read" files;
          case "rows that are none" wrong_rows;
          case "files that cannot be written" unwritable;
          case "options that do not combine" combinations;
          case "unknown names" names;
          case "options of the other suite" suites;
        ] );
      ( "rows of another suite",
        [
          case "refused" (fun () ->
              with_rows "fib_nocutoff" (fun file ->
                  says
                    [ file; "fib_nocutoff is no benchmark of --suite heap" ]
                    [ "--suite"; "heap"; "--from"; file ]));
        ] );
      ( "the suite of the heap",
        [ case "lists" both_lists; case "kept rows" kept_rows ] );
      ("output", [ case "no reader" no_reader ]);
      ("signals", signals);
    ]
