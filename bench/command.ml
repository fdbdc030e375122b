(* The command line: the options that every suite has, and those of one suite
   alone, which the other suite refuses. *)

open Cmdliner

(* {1 Values} *)

(* A converter: the value that [read] makes of the text, if the value is [fit];
   [range] describes the fit values. *)
let within read print fit range =
  let parse text =
    match read text with
    | Some x when fit x -> Ok x
    | Some _ | None -> Error (`Msg (Printf.sprintf "%s is not %s" text range))
  in
  Arg.conv (parse, print)

let int fit = within int_of_string_opt Fmt.int fit

let ints fit =
  let read text =
    let numbers = List.map int_of_string_opt (String.split_on_char ',' text) in
    if List.mem None numbers then None
    else Some (List.filter_map Fun.id numbers)
  in
  within read Fmt.(list ~sep:(any ",") int) (List.for_all fit)

let positive = int (fun n -> n >= 1) "a number of at least 1"

(* OCaml has at most 128 domains, unless OCAMLRUNPARAM says otherwise. *)
let worker_counts =
  ints (fun n -> 1 <= n && n <= 128) "a list of numbers from 1 to 128"

let naturals = ints (fun n -> n >= 0) "a list of numbers of at least 0"

let duration =
  within float_of_string_opt Fmt.float
    (fun s -> s > 0. && Float.is_finite s)
    "a number of seconds above 0"

(* {1 Options} *)

let flag ?docs name doc = Arg.(value & flag & info ?docs [ name ] ~doc)

let opt ?docs kind name docv doc =
  Arg.(value & opt (some kind) None & info ?docs [ name ] ~docv ~doc)

let default ?docs kind name value_ docv doc =
  Arg.(value & opt kind value_ & info ?docs [ name ] ~docv ~doc)

let several names doc =
  let lists =
    Arg.(value & opt_all (list string) [] & info names ~docv:"NAME" ~doc)
  in
  Term.(const List.concat $ lists)

let asked =
  let make only contestants workers runs quick limit max_rss_mib all_peers json
      from plots : Asked.t =
    {
      only;
      contestants;
      workers;
      runs;
      quick;
      limit;
      max_rss_mib;
      all_peers;
      json;
      from;
      plots;
    }
  in
  Term.(
    const make
    $ several [ "only" ] "Only these benchmarks (a list; repeatable)."
    $ several
        [ "schedulers"; "contestants" ]
        "Only these contestants (a list; repeatable)."
    $ opt worker_counts "workers" "N,..."
        "Numbers of workers (1,2; $(b,heap) 1,2,4, or 1,2 with $(b,--quick))."
    $ opt positive "runs" "N"
        "Measurements of each (8; of servers and with $(b,--growth) 3; quick \
         1, or 8 with $(b,--verdict); $(b,heap) 3, quick 1)."
    $ flag "quick"
        "Small sizes, once each: some minutes in all, more on a busy machine."
    $ opt duration "limit" "S"
        "Seconds for one measurement, its warm-up included (20; $(b,heap) 120)."
    $ opt positive "max-rss" "MIB"
        "Memory for one measurement; more of it is a failure (2048; $(b,heap) \
         8192)."
    $ flag "all-peers"
        "Also the peers in C++, Go, Java and, in $(b,lab), Rust, where there \
         are tools to build them."
    $ opt Arg.string "json" "FILE" "Write the rows to this file."
    $ opt Arg.non_dir_file "from" "FILE"
        "Read rows from a file instead of measuring."
    $ opt Arg.string "plots" "DIR" "Draw the rows, as SVG files.")

let lab =
  let docs = "OPTIONS OF THE SUITE LAB" in
  let make size cutoffs seconds verdict growth commands : Suite_lab.options =
    { size; cutoffs; seconds; verdict; growth; commands }
  in
  Term.(
    const make
    $ opt ~docs positive "size" "N" "Another size."
    $ default ~docs naturals "cutoffs" [] "C,..."
        "Other cut-offs, chunks, or loads."
    $ opt ~docs duration "seconds" "S"
        "How long each load is offered to a server (default 4; quick 1)."
    $ flag ~docs "verdict"
        "In place of the tables, say of each row of Dromos whether it is ahead \
         of the best peer in OCaml, and of the plain program on one worker, \
         equal, or behind, with a 95 % interval of the ratio. Measures only \
         what that needs; works with $(b,--from) too."
    $ flag ~docs "growth"
        "Measure growth (time and memory over n, from a thousand to ten \
         million) and contention (throughput over 1 to 256 tasks), with \
         exponents, and draw them into the directory of $(b,--plots) \
         (_build/growth). Works with $(b,--from) too."
    $ flag ~docs "commands"
        "Measure nothing: print, a line each, the commands that would be run.")

let heap =
  let docs = "OPTIONS OF THE SUITE HEAP" in
  let make repeats divide no_pauses one_core stress peers : Suite_heap.options =
    { repeats; divide; no_pauses; one_core; stress; peers }
  in
  Term.(
    const make
    $ opt ~docs positive "repeats" "N"
        "Runs in a process, the first of which warms up (3; quick 2)."
    $ default ~docs positive "divide" 1 "N"
        "Sizes divided by this, and by 10 with $(b,--quick)."
    $ flag ~docs "no-pauses" "No observed runs."
    $ flag ~docs "one-core" "All of it on one core (taskset -c 0)."
    $ flag ~docs "stress"
        "The stress test instead of the programs: time against the share of \
         stores that other tasks can reach."
    $ default ~docs Arg.string "peers" "heap/bench/peers" "DIR"
        "Where the sources of the peers are.")

(* {1 Suites} *)

type suite = Lab | Heap

let suites = [ ("lab", Lab); ("heap", Heap) ]

let refuse used ~of_ =
  match List.find_opt (String.starts_with ~prefix:"--") used with
  | None -> ()
  | Some option -> Fmt.failwith "%s is an option of --suite %s alone" option of_

let list suite asked heap =
  match suite with
  | Some Lab -> Suite_lab.list asked
  | Some Heap -> Suite_heap.list asked heap
  | None ->
      Fmt.pr "--suite lab@.@.";
      Suite_lab.list asked;
      Fmt.pr "@.--suite heap@.@.";
      Suite_heap.list asked heap

let main suite listed asked (lab, of_lab) (heap, of_heap) =
  (match suite with
  | None when listed -> ()
  | None | Some Lab -> refuse of_heap ~of_:"heap"
  | Some Heap -> refuse of_lab ~of_:"lab");
  if listed then list suite asked heap
  else
    match suite with
    | None | Some Lab -> Suite_lab.run asked lab
    | Some Heap -> Suite_heap.run asked heap

let command =
  let term =
    Term.(
      const main
      $ opt (Arg.enum suites) "suite" "SUITE"
          "$(b,lab), the default: Dromos and its peers; or $(b,heap): the \
           programs of the papers on MPL, on OCaml's own runtime and on the \
           runtime variant."
      $ flag "list" "List benchmarks and contestants, of one suite or of both."
      $ asked $ with_used_args lab $ with_used_args heap)
  in
  let doc = "measure Dromos and its peers in one run" in
  let exits =
    Cmd.Exit.info 1
      ~doc:
        "if a contestant's result is wrong, or the named benchmarks, \
         contestants and options do not go together."
    :: Cmd.Exit.defaults
  in
  Cmd.v (Cmd.info "dromos-bench" ~doc ~exits ~version:Version.text) term
