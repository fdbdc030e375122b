(* Scenarios under random schedules, each time others. *)

open Dromos_interpreter
open Scenarios

let run_once program scenario seed =
  let machine = Machine.create ~seed program in
  match
    let threads, check = scenario machine in
    match Machine.run machine threads with
    | Got_stuck reason -> Some ("stuck: " ^ reason)
    | Out_of_steps -> Some "still running after a million steps"
    | Finished ->
        check ();
        None
  with
  | failure -> failure
  | exception Violated what -> Some what
  | exception Machine.Stuck reason -> Some ("stuck at the end: " ^ reason)

(* The first run that goes wrong, with its seed. *)
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
