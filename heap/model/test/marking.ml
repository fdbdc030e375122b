open Heap_model_marking

let usage = "marking.exe [--large | --traces]"
let failures = ref 0

let report ok name =
  if not ok then incr failures;
  Printf.printf "%s marking: %s\n%!" (if ok then "PASS" else "FAIL") name

let show_trace what trace =
  List.iter (Printf.printf "    %s\n") trace;
  Printf.printf "    so: %s\n%!" what

let holds rules (scenario : Scenario.t) =
  let r = Marking.run ~limit:20_000_000 rules scenario in
  let name =
    Printf.sprintf "%s%s: %d states, %.1f s" scenario.name
      (if Rule.(on Settles rules) then ", three handshakes" else "")
      r.states r.seconds
  in
  match r.verdict with
  | Holds -> report true name
  | Limit -> report false (name ^ ": too many")
  | Broken { what; trace } ->
      show_trace what trace;
      report false name

let refuted traces (rules, rule, scenario) =
  let flips = if Rule.(on Flips rules) then "marks flip; " else "" in
  let name = Printf.sprintf "%snot so: %s" flips (Rule.name rule) in
  match (Marking.run (Rule.without rule rules) scenario).verdict with
  | Holds | Limit -> report false (name ^ ": not refuted")
  | Broken { what; trace } ->
      if traces then show_trace what trace;
      let length = List.length trace in
      report true (Printf.sprintf "refuted in %d steps, %s" length name)

let both scenarios =
  List.iter (holds Rule.exchanges) scenarios;
  List.iter (holds Rule.settles) scenarios

let () =
  (match Sys.argv with
  | [| _ |] ->
      both Cases.small;
      List.iter (holds Rule.flips) Cases.flipped;
      List.iter (refuted false) Cases.faults
  | [| _; "--large" |] ->
      List.iter (fun (rules, c) -> holds rules c) Cases.large
  | [| _; "--traces" |] -> List.iter (refuted true) Cases.faults
  | _ ->
      prerr_endline usage;
      exit 2);
  exit (if !failures > 0 then 1 else 0)
