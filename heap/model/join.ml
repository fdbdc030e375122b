open State
open Fault
open Label

let task s d = s.tasks.(leaf s d)
let become s d activity = with_domain s d { (s.domains.(d)) with activity }

let expire s d child =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let depth = s.tasks.(child).start - 1 in
  let deep, log = List.partition (fun (_, j) -> j > depth) x.log in
  let add l (v, _) = if List.mem v l then l else v :: l in
  let entries = List.fold_left add [] deep in
  let s = with_task s t { x with log; depth } in
  become s d (Expire { child; entries; due = false })

let withdraw rules s d { child; closure } =
  let t = leaf s d in
  let c = s.tasks.(child) in
  let s =
    if rules.fault = Some Closure_read_late then
      let s = with_task s child { c with stage = Gone } in
      with_task s t { (s.tasks.(t)) with late = child }
    else
      let s = with_task s child { c with stage = Gone; record = nil } in
      with_reg s t 0 closure
  in
  say "withdraws task %" [ child ] (expire s d child)

let merge rules s d child =
  let t = leaf s d in
  let adopt o = if o.heap = child then { o with heap = t } else o in
  let s = { s with objects = Array.map adopt s.objects } in
  let x = s.tasks.(t) and c = s.tasks.(child) in
  let unless fault ours theirs =
    if rules.fault = Some fault then ours else theirs @ ours
  in
  let log = unless Log_not_merged x.log c.log in
  let remembered = unless Remembered_not_merged x.remembered c.remembered in
  let s = with_task s t { x with log; remembered } in
  let s = with_task s child { c with log = []; remembered = [] } in
  say "merges task %" [ child ] (expire s d child)

let start rules s d =
  let x = task s d in
  match x.frames with
  | frame :: frames when Memory.drained s d -> (
      let s = with_task s (leaf s d) { x with frames } in
      match s.tasks.(frame.child).stage with
      | Offered -> withdraw rules s d frame
      | Finished -> merge rules s d frame.child
      | Running when rules.fault = Some Merged_too_early ->
          merge rules s d frame.child
      | _ -> [])
  | _ -> []

let read_result s d child =
  let c = s.tasks.(child) in
  let s = become s d Ready in
  if c.stage <> Finished then say "goes on" [] s
  else
    let s = with_reg s (leaf s d) 0 c.record in
    let s = with_task s child { c with stage = Gone; record = nil } in
    say "reads the result, o%" [ c.record ] s

let step rules s d child entries due =
  match entries with
  | [] -> read_result s d child
  | v :: _ when v = dead ->
      say "" [] { s with broken = "a pin in the log was moved or freed" }
  | v :: rest when due ->
      let s = Memory.apply s d (Pin (v, expired)) in
      say "o% expires" [ v ]
        (become s d (Expire { child; entries = rest; due = false }))
  | v :: rest ->
      let pin = Memory.pin s d v in
      let deep = pin > (task s d).depth || rules.fault = Some Lowered_expires in
      let due = deep && not (private_pin pin) in
      let entries = if due then entries else rest in
      let s = if due || private_pin pin then s else Publish.log s d v pin in
      say "o% has pin %" [ v; pin ]
        (become s d (Expire { child; entries; due }))

let read_late s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let v = s.tasks.(x.late).record in
  let s = with_task s t { x with late = -1 } in
  say "reads the closure of the record, o%" [ v ] (with_reg s t 0 v)
