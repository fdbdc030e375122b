open Heap_model

let usage = "run.exe [--large | --traces]"
let failures = ref 0

let report ok name =
  if not ok then incr failures;
  Printf.printf "%s model: %s\n%!" (if ok then "PASS" else "FAIL") name

let show_trace what trace =
  List.iter (Printf.printf "    %s\n") trace;
  Printf.printf "    so: %s\n%!" what

let rules protocol = { Fault.protocol; fault = None }

let holds protocol scenario =
  let r = Tasks.run ~limit:20_000_000 (rules protocol) scenario in
  let name =
    Printf.sprintf "%s: %d states, %.1f s" scenario.name r.states r.seconds
  in
  match r.verdict with
  | Holds -> report true name
  | Limit -> report false (name ^ ": too many")
  | Broken { what; trace } ->
      show_trace what trace;
      report false name

let refuted traces ((rules : Fault.rules), (scenario : Scenario.t)) =
  let what =
    match rules.fault with
    | None -> "pins are lowered beside stores"
    | Some fault -> Fault.name fault
  in
  match (Tasks.run rules scenario).verdict with
  | Holds | Limit -> report false (what ^ ": not refuted")
  | Broken { what = broken; trace } ->
      if traces then show_trace broken trace;
      let length = List.length trace in
      report true (Printf.sprintf "refuted in %d steps: %s" length what)

let () =
  (match Sys.argv with
  | [| _ |] ->
      List.iter (holds Exclusive) Cases.small;
      List.iter (holds Second_look) Cases.second_look;
      List.iter (refuted false) Cases.faults
  | [| _; "--large" |] -> List.iter (holds Exclusive) Cases.large
  | [| _; "--traces" |] -> List.iter (refuted true) Cases.faults
  | _ ->
      prerr_endline usage;
      exit 2);
  exit (if !failures > 0 then 1 else 0)
