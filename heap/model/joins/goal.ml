open State
open Access
open Label

let write s d target field v =
  let s = Memory.put s d (Field (target, field, v)) in
  say "stores o%.% := o%" [ target; field; v ] s

let swap s d target field v r =
  let old = (obj s target).fields.(field) in
  let s = with_reg s (leaf s d) r old in
  let s = Memory.apply s d (Field (target, field, v)) in
  say "puts o% into o%.%, for o%" [ v; target; field; old ] s

let offer s d child closure =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let depth = x.depth + 1 in
  let frames = { child; closure } :: x.frames in
  let s = with_task s t { x with depth; frames } in
  let c = { (s.tasks.(child)) with stage = Offered; record = closure } in
  let s = with_task s child { c with parent = t; start = depth; depth } in
  say "offers task %" [ child ] s

(* A starting task gets its closure after the switch. The closure is thus not
   among the roots that the switch publishes. *)
let enter s d t =
  let s = with_domain s d { (s.domains.(d)) with task = t } in
  let x = s.tasks.(t) in
  let x =
    if x.stage = Waking then x
    else { x with regs = [| x.record; nil; nil |]; record = nil }
  in
  say "runs task %" [ t ] (with_task s t { x with stage = Running })

let end_ s t =
  let x = s.tasks.(t) in
  let regs = [| nil; nil; nil |] in
  with_task s t
    { x with stage = Finished; record = x.regs.(0); regs; cell = nil }

let leave (rules : Fault.rules) s d stage =
  let t = leaf s d in
  let s = with_domain s d { (s.domains.(d)) with task = -1 } in
  let s =
    match stage with
    | Finished when rules.fault = Some Finished_before_switch -> s
    | Finished -> end_ s t
    | _ -> with_task s t { (s.tasks.(t)) with stage }
  in
  say "leaves task %" [ t ] s

let reach rules s d goal =
  match goal with
  | Write { target; field; v; swap = None } -> write s d target field v
  | _ when not (Memory.drained s d) -> []
  | Write { target; field; v; swap = Some r } -> swap s d target field v r
  | Offer { child; closure; _ } -> offer s d child closure
  | Enter t -> enter s d t
  | Leave stage -> leave rules s d stage
