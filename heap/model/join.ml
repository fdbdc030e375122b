open State
open Fault
open Label

let task s d = s.tasks.(leaf s d)
let become s d activity = with_domain s d { (s.domains.(d)) with activity }

(* {1 The end of a fork} *)

let disorder s t = with_task s t { (s.tasks.(t)) with disordered = true }

let expire s d child depth =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let log = if x.disordered then [] else x.log in
  let deep, log = List.partition (fun (_, j) -> j > depth) log in
  let add l (v, _) = if List.mem v l then l else v :: l in
  let entries = List.fold_left add [] deep in
  let s = with_task s t { x with log; depth } in
  become s d (Expire { child; entries; due = false })

let finished s child = child >= 0 && s.tasks.(child).stage = Finished

let read_result s d child =
  let s = become s d Ready in
  if not (finished s child) then ("goes on", [], s)
  else
    let c = s.tasks.(child) in
    let s = with_reg s (leaf s d) 0 c.record in
    let s = with_task s child { c with stage = Gone; record = nil } in
    ("reads the result, o%", [ c.record ], s)

let without_expiry s d child =
  let _, _, s = read_result s d child in
  s

(* While a cycle marks nothing expires. *)
let put_off s d child depth =
  let t = leaf s d in
  let s = with_task s t { (s.tasks.(t)) with depth } in
  if s.cycles then [ without_expiry s d child ] else []

(* Forks end where they began, and in order; or nothing expires any more. *)
let close rules s d child =
  let c = s.tasks.(child) and t = leaf s d in
  let in_order = c.parent = t && s.tasks.(t).depth = c.start in
  let depth = c.start - 1 in
  if in_order || rules.fault = Some Disordered_expires then
    expire s d child depth :: put_off s d child depth
  else [ without_expiry (disorder (disorder s c.parent) t) d child ]

(* {1 Joins} *)

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
  List.concat_map (say "withdraws task %" [ child ]) (close rules s d child)

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
  let lowered = c.lowered @ x.lowered and touched = c.touched || x.touched in
  let s = with_task s t { x with log; remembered; lowered; touched } in
  let c = { c with log = []; remembered = []; lowered = []; touched = false } in
  let inherits = c.disordered && rules.fault <> Some Disorder_not_merged in
  let s = with_task s child { c with disordered = false } in
  let s = if inherits then disorder s t else s in
  List.concat_map (say "merges task %" [ child ]) (close rules s d child)

let join rules s d frame =
  let c = s.tasks.(frame.child) in
  let forker = s.tasks.(c.parent) in
  let frames = List.filter (( <> ) frame) forker.frames in
  let s' = with_task s c.parent { forker with frames } in
  match c.stage with
  | _ when not (Memory.drained s d) -> []
  | Offered -> withdraw rules s' d frame
  | Finished -> merge rules s' d frame.child
  | Running when rules.fault = Some Merged_too_early ->
      merge rules s' d frame.child
  | _ -> []

let start rules s d =
  match (task s d).frames with frame :: _ -> join rules s d frame | [] -> []

let of_task rules s d child =
  let parent = s.tasks.(child).parent in
  if parent < 0 then []
  else
    let is_its frame = frame.child = child in
    match List.find_opt is_its s.tasks.(parent).frames with
    | Some frame -> join rules s d frame
    | None -> []

(* {1 Expiry} *)

let ends s d child =
  let format, numbers, s = read_result s d child in
  say format numbers s

let set_apart s t = Array.exists (fun o -> o.heap = t && o.apart > 0) s.objects

let to_bring_back s d child =
  let t = leaf s d in
  if s.tasks.(t).disordered || not (set_apart s t) then ends s d child
  else say "has chunks set apart" [] (become s d (Bring_back child))

(* Others may have lowered more than what expires now. *)
let see_lowered rules s d child =
  let t = leaf s d in
  let ignored =
    s.tasks.(t).disordered || rules.fault = Some Lowered_not_noted
  in
  if ignored || not s.tasks.(t).touched then to_bring_back s d child
  else if rules.fault = Some Untouched_without_fence then
    let s = Memory.put s d (Untouch t) in
    say "sees that others have lowered" [] (become s d (Note child))
  else if not (Memory.drained s d) then []
  else
    let s = Memory.apply s d (Untouch t) in
    say "sees that others have lowered" [] (become s d (Note child))

let note s d child =
  let t = leaf s d in
  let add s v =
    let pin = Memory.own_pin s d v in
    let ours = (obj s v).heap = t && not (private_pin pin) in
    if ours && pin <= s.tasks.(t).depth then Publish.log s d v pin else s
  in
  let all = List.init (Array.length s.objects) succ in
  to_bring_back (List.fold_left add s all) d child

let bring_back rules s d child =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let depth =
    if rules.fault = Some Apart_brought_back_early then 0 else x.depth
  in
  if s.lowering >= 0 || not (Memory.drained s d) then []
  else
    let add s v = Publish.log s d v (obj s v).pin in
    let s = List.fold_left add s x.lowered in
    let s = with_task s t { (s.tasks.(t)) with lowered = [] } in
    let back o =
      if o.heap = t && o.apart > depth then { o with apart = 0 } else o
    in
    ends { s with objects = Array.map back s.objects } d child

let step rules s d child entries due =
  match entries with
  | [] -> see_lowered rules s d child
  | v :: _ when v = dead ->
      say "" [] { s with broken = "a pin in the log was moved or freed" }
  | v :: rest when due ->
      let s = Memory.apply s d (Pin (v, expired)) in
      say "o% expires" [ v ]
        (become s d (Expire { child; entries = rest; due = false }))
  | v :: rest ->
      let pin = Memory.own_pin s d v in
      let deep = pin > (task s d).depth || rules.fault = Some Lowered_expires in
      let due = deep && not (private_pin pin) in
      let entries = if due then entries else rest in
      say "o% has pin %" [ v; pin ]
        (become s d (Expire { child; entries; due }))

(* What was put off, at a full collection. *)
let let_expire s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let apart o = o.heap = t && o.apart > x.depth in
  let pinned (_, depth) = depth > x.depth in
  if
    s.cycles && (not x.disordered) && Memory.drained s d
    && (List.exists pinned x.log || Array.exists apart s.objects)
  then say "lets expire what is due" [] (expire s d (-1) x.depth)
  else []

let read_late s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let v = s.tasks.(x.late).record in
  let s = with_task s t { x with late = -1 } in
  say "reads the closure of the record, o%" [ v ] (with_reg s t 0 v)
