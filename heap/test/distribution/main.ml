(* Links the test programs of OCaml's distribution with OCaml's own runtime and with the
   heap variant, and runs them. `run.sh` is the entry point.

   main.exe SOURCE HEAP WORK EXPLAINED [PATTERN ..]

   SOURCE is the distribution, HEAP the folder of libasmrun_hh.a, WORK a build folder,
   EXPLAINED a list of expected failures with their reasons. With patterns, only tests
   whose name contains a pattern run. The page is printed on stdout, progress and failures
   on stderr. *)

open Tests

(* A factor for all time limits, as in test/watch. *)
let patience =
  match Sys.getenv_opt "DROMOS_TEST_PATIENCE" with
  | Some text when text <> "" -> float_of_string text
  | Some _ | None -> 1.

let seconds s = int_of_float (Float.ceil (s *. patience))

let stock : Actions.runtime =
  { name = "stock"; flags = []; settings = []; limit_s = seconds 120. }

let variants heap =
  let flags = [ "-I"; heap; "-runtime-variant"; "_hh" ] in
  let variant = { stock with name = "variant"; flags } in
  let settings = [ ("DROMOS_HEAP", "c,n=16k,l=64k,g=4M,s=32k") ] in
  [ variant; { variant with name = "tiny"; settings; limit_s = seconds 600. } ]

(* One end of a test that passes on OCaml's own runtime. *)
type row = { test : string; outcomes : outcome list (* for each variant *) }

type tally = {
  mutable programs : int;
  mutable elsewhere : string list;
      (* tests that run no native program, or need a missing tool *)
  mutable fail_on_stock : string list;
  mutable rows : row list;
}

(* {1 Running} *)

let rec files folder =
  Sys.readdir folder |> Array.to_list |> List.sort compare
  |> List.concat_map (fun name ->
         let path = Filename.concat folder name in
         if Sys.is_directory path then files path
         else if Filename.check_suffix name ".ml" then [ path ]
         else [])

let contains part s =
  match Str.search_forward (Str.regexp_string part) s 0 with
  | _ -> true
  | exception Not_found -> false

let say fmt =
  Progress_line.clear ();
  Printf.eprintf (fmt ^^ "%!")

let note tally variants test per_variant i = function
  | Other why -> tally.elsewhere <- (test ^ ": " ^ why) :: tally.elsewhere
  | Failed why ->
      tally.fail_on_stock <- (test ^ ": " ^ why) :: tally.fail_on_stock
  | Passed ->
      let test =
        if i = 0 then test else Printf.sprintf "%s (%d)" test (i + 1)
      in
      let outcomes = List.map (fun all -> List.nth all i) per_variant in
      List.iter2
        (fun (v : Actions.runtime) -> function
          | Passed -> ()
          | Failed why | Other why -> say "FAIL %s, %s: %s\n" test v.name why)
        variants outcomes;
      tally.rows <- { test; outcomes } :: tally.rows

(* A test that exceeds its time limit on one variant does not run on the
   next, slower variant. *)
let all_of go variants =
  let next before v =
    match before with
    | last :: _ when List.mem (Failed Process.too_long) last -> last :: before
    | _ -> go v :: before
  in
  List.rev (List.fold_left next [] variants)

let run_one tally variants go test tree =
  tally.programs <- tally.programs + 1;
  let on_stock = go stock tree in
  let per_variant =
    if List.mem Passed on_stock then all_of (fun v -> go v tree) variants
    else List.map (fun _ -> on_stock) variants
  in
  List.iteri (note tally variants test per_variant) on_stock

let run_all ~source ~heap ~work patterns =
  let tests = Filename.concat source "testsuite/tests" in
  let library = Filename.concat work "library" in
  Actions.library ~source library;
  let variants = variants heap in
  let tally = { programs = 0; elsewhere = []; fail_on_stock = []; rows = [] } in
  let all = files tests in
  List.iteri
    (fun n file ->
      let start = String.length tests + 1 in
      let test = String.sub file start (String.length file - start) in
      Progress_line.show "%d of %d: %s" (n + 1) (List.length all) test;
      let wanted =
        patterns = [] || List.exists (fun p -> contains p test) patterns
      in
      let go (runtime : Actions.runtime) tree =
        let work =
          String.concat "/"
            [ work; runtime.name; Filename.remove_extension test ]
        in
        Tests.run ~library ~work runtime file tree
      in
      if wanted then
        match Tsl.read file with
        | Some tree -> run_one tally variants go test tree
        | None -> ()
        | exception Tsl.Malformed why -> say "%s: %s\n" test why)
    all;
  Progress_line.clear ();
  tally

(* {1 The page} *)

(* Reads lines for expected failures: a prefix of test names, a tab, and the reason. *)
let explanations file =
  In_channel.with_open_text file In_channel.input_all
  |> String.split_on_char '\n'
  |> List.filter_map (fun line ->
         match String.split_on_char '\t' line with
         | [ prefix; why ] -> Some (prefix, why)
         | _ -> None)

let passed row = List.for_all (( = ) Passed) row.outcomes
let explains (prefix, _) row = String.starts_with ~prefix row.test

let counts tally variants =
  List.iteri
    (fun i (v : Actions.runtime) ->
      let good r = List.nth r.outcomes i = Passed in
      let n = List.length (List.filter good tally.rows) in
      Printf.printf "| %s | %d | %d |\n" v.name n (List.length tally.rows - n))
    variants

let why = function Passed -> "passes" | Failed why | Other why -> why

let explained bad ((_, why) as known) =
  match List.filter (explains known) bad with
  | [] -> ()
  | rows ->
      Printf.printf "- %s: %s\n" why
        (String.concat ", " (List.map (fun r -> "`" ^ r.test ^ "`") rows))

let unexplained row =
  Printf.printf "- **not explained**: `%s` (%s)\n" row.test
    (String.concat "; " (List.map why row.outcomes))

(* Prints the page; [true] if all failures are explained. *)
let page tally variants known =
  let bad = List.filter (fun r -> not (passed r)) tally.rows in
  let bad = List.sort (fun a b -> compare a.test b.test) bad in
  let strange r = not (List.exists (fun k -> explains k r) known) in
  Printf.printf
    "OCaml %s has %d test programs. %d ends of them are native programs that \
     stock passes:\n\n\
     | | pass | fail |\n\
     |---|---|---|\n"
    Sys.ocaml_version tally.programs (List.length tally.rows);
  counts tally variants;
  print_newline ();
  List.iter unexplained (List.filter strange bad);
  List.iter (explained bad) known;
  not (List.exists strange bad)

let save file lines =
  Out_channel.with_open_text file (fun c ->
      List.iter (Printf.fprintf c "%s\n") (List.rev lines))

let () =
  match Array.to_list Sys.argv with
  | _ :: source :: heap :: work :: explained :: patterns ->
      let known = explanations explained in
      let tally = run_all ~source ~heap ~work patterns in
      save (Filename.concat work "elsewhere") tally.elsewhere;
      save (Filename.concat work "fail-on-stock") tally.fail_on_stock;
      List.iter (say "fails on stock: %s\n") (List.rev tally.fail_on_stock);
      if not (page tally (variants heap) known) then exit 1
  | _ ->
      prerr_endline "main.exe SOURCE HEAP WORK EXPLAINED [PATTERN ..]";
      exit 2
