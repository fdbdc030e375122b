open Cmdliner

let seed_of_env () =
  match Sys.getenv_opt "MATRIX_SEED" with
  | Some text when text <> "" -> int_of_string text
  | Some _ | None -> Watch.seed land 0xffffff

let write file text =
  Out_channel.with_open_bin file (fun channel ->
      Out_channel.output_string channel text)

(* {1 Progress} *)

let progress i n cell scenario =
  Progress_line.show "%d/%d %s: %s" i n (Play.name cell) scenario

(* {1 Playing} *)

let play ~seed ~scale ~verbose cells =
  let n = List.length cells in
  let play i cell =
    let before scenario =
      progress (i + 1) n cell scenario;
      if verbose then Printf.printf "  %s\n%!" scenario
    in
    (* The scenario's own deadline finds a hang; this limit is for a process
       that does not even reach the deadline. *)
    let limit = 60. +. (4. *. Play.limit *. float_of_int scale) in
    let played =
      Watch.during ~limit (Play.name cell) (fun () ->
          Play.cell ~seed ~scale ~before cell)
    in
    if verbose || played.verdict <> Passed then begin
      Progress_line.clear ();
      print_endline (Play.describe ~seed played)
    end;
    played
  in
  let played = List.mapi play cells in
  Watch.during "the end" Play.finish;
  Progress_line.clear ();
  played

let run peers only seed scale part markdown html verbose list =
  let cells = Play.matrix Structures.all (Parties.all @ peers) in
  let chance = Random.State.make [| seed |] in
  let cells =
    match (only, part) with
    | Some names, _ -> Cover.only names cells
    | None, true ->
        let cover = Cover.pairwise chance cells in
        List.filter (fun c -> List.memq c cover) cells
    | None, false -> cells
  in
  if list then List.iter (fun cell -> print_endline (Play.name cell)) cells
  else begin
    Printf.printf "MATRIX_SEED=%d\n%!" seed;
    let played = play ~seed ~scale ~verbose cells in
    print_string (Table.text played);
    Option.iter (fun file -> write file (Table.markdown ~seed played)) markdown;
    Option.iter (fun file -> write file (Table.html ~seed played)) html;
    let failed = List.filter (fun p -> p.Play.verdict <> Passed) played in
    List.iter (fun p -> print_endline (Play.describe ~seed p)) failed;
    Printf.printf "%d cells passed, %d failed (MATRIX_SEED=%d)\n%!"
      (List.length played - List.length failed)
      (List.length failed) seed;
    if failed <> [] then exit 1
  end

(* {1 The command line} *)

let only =
  let doc =
    "Only cells with these names: a structure, one or two kinds of tasks, or \
     any of them, between commas."
  in
  let env = Cmd.Env.info "MATRIX_ONLY" in
  Arg.(value & opt (some string) None & info [ "only" ] ~env ~doc ~docv:"NAMES")

let seed =
  let doc = "The same seed draws the same rounds and delays." in
  let env = Cmd.Env.info "MATRIX_SEED" in
  let default = seed_of_env () in
  Arg.(value & opt int default & info [ "seed" ] ~env ~doc)

let scale =
  let doc = "So many times the rounds of $(b,make test)." in
  Arg.(value & opt int 4 & info [ "scale" ] ~doc)

let part =
  let doc =
    "Only so many cells that each structure meets each kind of task, and each \
     kind each other."
  in
  Arg.(value & flag & info [ "cover" ] ~doc)

let file name =
  let doc = Printf.sprintf "Write the table to $(docv) as %s." name in
  Arg.(value & opt (some string) None & info [ name ] ~doc ~docv:"FILE")

let verbose = Arg.(value & flag & info [ "verbose" ] ~doc:"Each scenario.")
let list = Arg.(value & flag & info [ "list" ] ~doc:"Only list the cells.")

let command peers =
  let doc = "every structure between every pair of kinds of tasks" in
  Cmd.v (Cmd.info "matrix" ~doc)
    Term.(
      const (run peers)
      $ only $ seed $ scale $ part $ file "markdown" $ file "html" $ verbose
      $ list)

let main ?(peers = []) () =
  (* Tasks wait for long here, on purpose. *)
  if Sys.getenv_opt "DROMOS_DEADLOCK" = None then
    Unix.putenv "DROMOS_DEADLOCK" "ignore";
  Watch.suite "matrix" (fun () -> exit (Cmd.eval (command peers)))
