open State
open Access
open Fault
open Label

(* {1 The end of a fork} *)

let disorder s t = with_task s t { (s.tasks.(t)) with disordered = true }

(* Joins a fork while a newer fork of the same heap is still open. *)
let close_early rules s d child =
  let t = leaf s d in
  let x = s.tasks.(t) and level = s.tasks.(child).start in
  match rules.fault with
  | Some Closed_early_expires ->
      Expiry.begin_ rules (with_task s t { x with depth = level - 1 }) d child
  | Some Closed_early_decrements ->
      let s = with_task s t { x with depth = x.depth - 1 } in
      [ Expiry.without s d child ]
  | _ ->
      let closed = List.sort compare (level :: x.closed) in
      let closed = if x.disordered then x.closed else closed in
      [ Expiry.without (with_task s t { x with closed }) d child ]

let rec less_deep rules x =
  let depth = x.depth - 1 in
  let x = { x with depth } in
  if List.mem depth x.closed && rules.fault <> Some Closed_early_forgotten then
    less_deep rules { x with closed = List.filter (( <> ) depth) x.closed }
  else x

(* A fork must be joined by the task that forked. If another task joins the
   fork, the two heaps become disordered: no pin expires in them any more. *)
let close rules s d child =
  let t = leaf s d and c = s.tasks.(child) in
  if c.parent <> t then
    if rules.fault = Some Disordered_expires then Expiry.begin_ rules s d child
    else [ Expiry.without (disorder (disorder s c.parent) t) d child ]
  else if s.tasks.(t).depth <> c.start then close_early rules s d child
  else
    let s = with_task s t (less_deep rules s.tasks.(t)) in
    Expiry.begin_ rules s d child

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

let append rules s d child lowered =
  let t = leaf s d in
  let s = Expiry.become s d Ready in
  let s = with_task s t { (s.tasks.(t)) with lowered } in
  List.concat_map (say "has merged" []) (close rules s d child)

(* Takes the lock: another domain may be lowering pins in the merged heap. *)
let merge_lowered rules s d child =
  let t = leaf s d in
  let x = s.tasks.(t) and c = s.tasks.(child) in
  let s = with_task s child { c with lowered = [] } in
  let lowered = c.lowered @ x.lowered in
  let merges = say "merges task %" [ child ] in
  match rules.fault with
  | Some Lowered_not_merged -> List.concat_map merges (close rules s d child)
  | Some Lowered_merged_unlocked when c.lowered <> [] ->
      merges (Expiry.become s d (Append { child; lowered }))
  | _ when c.lowered <> [] && s.lowering >= 0 -> []
  | _ ->
      let s = with_task s t { x with lowered } in
      List.concat_map merges (close rules s d child)

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
  let touched = c.touched || x.touched and put_off = c.put_off || x.put_off in
  let s = with_task s t { x with log; remembered; touched; put_off } in
  let put_off = false and touched = false and closed = [] in
  let c = { c with log = []; remembered = []; touched; put_off } in
  let c = { c with depth = c.start; closed } in
  let inherits = c.disordered && rules.fault <> Some Disorder_not_merged in
  let s = with_task s child { c with disordered = false } in
  let s = if inherits then disorder s t else s in
  merge_lowered rules s d child

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

let newest_of rules s d = function
  | [] -> []
  | frame :: _ -> join rules s d frame

let frames s d = s.tasks.(leaf s d).frames
let start rules s d = newest_of rules s d (frames s d)
let oldest rules s d = newest_of rules s d (List.rev (frames s d))

let of_task rules s d child =
  let parent = s.tasks.(child).parent in
  if parent < 0 then []
  else
    let is_its frame = frame.child = child in
    match List.find_opt is_its s.tasks.(parent).frames with
    | Some frame -> join rules s d frame
    | None -> []

let read_late s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let v = s.tasks.(x.late).record in
  let s = with_task s t { x with late = -1 } in
  say "reads the closure of the record, o%" [ v ] (with_reg s t 0 v)
