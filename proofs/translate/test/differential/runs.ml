(* Runs scenarios under random schedules, which differ from run to run. *)

open Dromos_interpreter
open Scenarios

let steps = 300_000

let outcome machine threads =
  match Machine.run ~steps machine threads with
  | Got_stuck reason -> Some ("stuck: " ^ reason)
  | Out_of_steps -> Some "it goes on for ever, or nearly"
  | Finished -> None
  | exception Violated what -> Some what

let run_once program scenario seed =
  let machine = Machine.create ~seed program in
  let threads, check = scenario machine in
  match outcome machine threads with
  | None -> outcome machine [ check ]
  | failure -> failure

(* The first run that fails, with its seed. *)
let first_failure program scenario runs =
  let first = Random.State.int Watch.chance 1_000_000 in
  let rec from seed =
    if seed = first + runs then None
    else
      match run_once program scenario seed with
      | Some what -> Some (seed, what)
      | None -> from (seed + 1)
  in
  from first
