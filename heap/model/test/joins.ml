open Heap_model_joins
open Heap_model_checker

let check (rules : Fault.rules) (scenario : Scenario.t) name =
  { Driver.name; run = (fun () -> Tasks.run ~limit:20_000_000 rules scenario) }

let holds protocol (scenario : Scenario.t) =
  check { protocol; fault = None } scenario scenario.name

let refuted ((rules : Fault.rules), scenario) =
  let what =
    match rules.fault with
    | None -> "pins are lowered beside stores"
    | Some fault -> Fault_names.name fault
  in
  check rules scenario what

let () =
  Driver.main "joins"
    ~holds:
      (List.map (holds Asymmetric) Cases.small
      @ List.map (holds Exclusive) Cases.lowering
      @ List.map (holds Second_look) Cases.second_look)
    ~large:(List.map (holds Asymmetric) Cases.large)
    ~faults:(List.map refuted Cases.faults)
