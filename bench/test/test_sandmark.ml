(* The arguments that bench/sandmark/run.sh refuses before any build. *)

let run_sh =
  List.fold_left Filename.concat Filename.parent_dir_name
    [ "sandmark"; "run.sh" ]

let temporary = Filename.temp_dir "sandmark" ""
let said = Filename.concat temporary "said"

let call ?(path = Sys.getenv "PATH") arguments =
  let command =
    Filename.quote_command "env" ~stdout:said ~stderr:said
      ([ "PATH=" ^ path; "sh"; run_sh ] @ arguments)
  in
  let status = Sys.command command in
  (status, In_channel.with_open_bin said In_channel.input_all)

let expect ?path status parts arguments =
  let got, text = call ?path arguments in
  let line = String.concat " " ("run.sh" :: arguments) in
  if got <> status then Alcotest.failf "%s: status %d:\n%s" line got text;
  List.iter
    (fun part ->
      if not (Lab.contains text part) then
        Alcotest.failf "%s: %S is not in:\n%s" line part text)
    parts

let usage = "usage: run.sh CHECKOUT"

let help () =
  expect 0 [ usage; "--workers"; "Exits with 1" ] [ "--help" ];
  expect 0 [ usage ] [ "somewhere"; "--help" ];
  expect 2 [ usage; "a checkout" ] []

(* The folder "nowhere" does not exist: run.sh checks the arguments before the
   folder. *)
let arguments () =
  let refused part arguments =
    expect 2 [ usage; part ] ("nowhere" :: arguments)
  in
  refused "no option --nosuch" [ "--nosuch" ];
  refused "no program nosuch" [ "nqueens_multicore"; "nosuch" ];
  refused "quicksort_multicore" [ "nosuch" ];
  refused "--runs 0 is not a number" [ "--runs"; "0" ];
  refused "--runs needs a value" [ "--runs" ];
  refused "--workers 1,0 is not a list" [ "--workers"; "1,0" ];
  refused "--workers 1,,2 is not a list" [ "--workers"; "1,,2" ];
  refused "nowhere is not a clone"
    [ "--runs"; "8"; "--workers"; "1,2"; "--quick"; "nqueens_multicore" ]

(* A clone may lack the files of a commit in its history. *)
let archive () =
  let program name body =
    let path = Filename.concat temporary name in
    Out_channel.with_open_bin path (fun oc ->
        output_string oc ("#!/bin/sh\n" ^ body ^ "\n"));
    Unix.chmod path 0o755
  in
  program "git" "case $3 in archive) exit 128 ;; esac";
  program "ocamlfind" "exit 0";
  expect 2
    [ "git archive cannot take the programs" ]
    [ "clone" ]
    ~path:(temporary ^ ":" ^ Sys.getenv "PATH")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "sandmark"
    [
      ( "run.sh",
        [
          case "help" help;
          case "arguments" arguments;
          case "a failing git archive" archive;
        ] );
    ]
