open Heap_model_cycles
open Heap_model_checker

let check rules (scenario : Scenario.t) name =
  let run () = Cycles.run ~limit:20_000_000 rules scenario in
  { Driver.name; run }

let holds (scenario : Scenario.t) = check Rules.all scenario scenario.name

let refuted (rule, scenario) =
  check (Rules.without rule) scenario ("not so: " ^ Rules.name rule)

let () =
  Driver.main "cycles"
    ~holds:(List.map holds Cases.small)
    ~large:(List.map holds Cases.large)
    ~faults:(List.map refuted Faults.all)
