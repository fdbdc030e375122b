open Heap_model.Label
open State

type steps = (Heap_model.Label.t * State.t) list

let begins rules s d v e =
  let parent = s.domains.(d) in
  let seen, cycle =
    if Rule.(on Inherits rules) then (parent.seen, parent.cycle)
    else (0, parent.cycle)
  in
  let s = with_domain s e { (s.domains.(e)) with alive = true; seen; cycle } in
  let l = own s e in
  let x = s.leaves.(l) in
  let scanned = Grey.scanned s e in
  with_leaf s l { x with stage = Running; regs = set x.regs 0 v; scanned }

let spawn rules s d v e =
  if s.leaves.(own s e).stage <> Unborn then []
  else
    match Store.share_all rules s d [ v ] with
    | None -> []
    | Some s -> say "spawns domain % with o%" [ e; v ] (begins rules s d v e)

let leaves_round s d =
  match s.phase with
  | Check { left; brought } ->
      let brought = brought || s.domains.(d).greys <> [] in
      Check { left = List.filter (( <> ) d) left; brought }
  | phase -> phase

let end_ rules s d =
  let l = own s d in
  let x = s.leaves.(l) in
  if leaf s d <> l || x.forked >= 0 || not (Memory.drained s d) then []
  else
    let s = { s with phase = leaves_round s d } in
    let s = if Rule.(on Gives_at_end rules) then Grey.hand_over s d else s in
    let regs = Array.map (fun _ -> nil) x.regs in
    let s =
      with_leaf s l { x with stage = Gone; regs; script = []; fuel = 0 }
    in
    let y = s.domains.(d) in
    say "ends" []
      (with_domain s d { y with alive = false; dls = nil; greys = [] })
