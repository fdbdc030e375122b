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
    ]
