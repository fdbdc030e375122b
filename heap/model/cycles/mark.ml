open State
open Access

type push = State.t -> State.value -> State.t

(* An object without fields is never grey. *)
let has_fields s v = Array.length (obj s v).fields > 0

let push d s v =
  let x = s.domains.(d) in
  if has_fields s v then with_domain s d { x with greys = v :: x.greys } else s

let to_pool s v =
  if has_fields s v then { s with pool = (v, 0) :: s.pool } else s

let to_inbox s v = if has_fields s v then { s with inbox = v :: s.inbox } else s

let walked s v =
  if (obj s v).cont then with_obj s v { (obj s v) with walked = true } else s

let met s v = with_obj s v { (obj s v) with met = true }

(* {1 Greying} *)

let traced rules o = pinned o && (Rules.on Traces_lent rules || not (is_lent o))

let grey rules (push : push) s v =
  if v <= 0 || (obj s v).met || not (traced rules (obj s v)) then s
  else push (met s v) v

let shade rules s d v = if watches s d then grey rules (push d) s v else s

let overwritten rules s d target v =
  let into = obj s target in
  let barrier = into.kind = Static || pinned into in
  let barrier = barrier && (Rules.on Lent_too rules || not (is_lent into)) in
  if barrier && Rules.on Greys_overwritten rules then shade rules s d v else s

let stored rules s d v =
  let early = not s.domains.(d).scanned in
  if early && Rules.on Greys_stored rules then shade rules s d v else s

let taken rules s d v =
  if Rules.on Greys_taken rules then shade rules s d v else s

let still_met rules s d v =
  let x = s.domains.(d) in
  let in_it = x.greeted || not (Rules.on Own_cycle rules) in
  if in_it && Rules.on Seen_till_swept rules then met s v else s

let published rules s d v =
  if not (watches s d) then still_met rules s d v
  else if s.domains.(d).scanned then
    if Rules.on Black_late rules then walked (met s v) v else s
  else
    let s = met s v in
    if Rules.on Grey_early rules then push d s v else s

let lowered rules s d v =
  if watches s d then push d (met s v) v else still_met rules s d v

(* {1 Scans} *)

let judge rules s l =
  let stays o = o.apart && Rules.on Apart_stays rules in
  let judge o =
    if leaf_of o = l && (not (stays o)) && Chunk.judges rules s o then
      { o with judged = true }
    else o
  in
  let s = with_leaf s l { (s.leaves.(l)) with judged = true } in
  each_obj judge s

let weakly rules follow s v =
  let strong =
    (Rules.on Traces_unpinned rules && not (undecided s v))
    || not (Rules.on Leaves_weak rules)
  in
  if strong then follow s v else s

(* The scan marks the private objects that it has looked at. The data of a
   private weak object is scanned with the object, since no later look at the
   keys of that object follows. *)
let rec look rules leaves push s v =
  if v <= 0 then s
  else
    let o = obj s v in
    match o.kind with
    | Private l when List.mem l leaves && not o.apart ->
        if o.met then s
        else if Rules.on Scans_private rules then
          fields rules leaves push (met s v) o
        else met s v
    | _ -> grey rules push s v

and fields rules leaves push s o =
  let look = look rules leaves push in
  if not o.weak then Array.fold_left look s o.fields
  else
    let s = if Rules.on Private_data rules then look s (data_of o) else s in
    let key s slot = weakly rules look s o.fields.(slot) in
    List.fold_left key s (keys o)

let told rules follow s v =
  if Rules.on Told_is_weak rules then weakly rules follow s v else follow s v

let roots_of s l =
  let x = s.leaves.(l) in
  (x.record :: x.todo) @ Array.to_list x.regs

let scan_leaves rules s leaves roots push =
  let s = List.fold_left (judge rules) s leaves in
  let look = look rules leaves push in
  let s = List.fold_left look s roots in
  let told s l = told rules look s s.leaves.(l).told in
  let s = List.fold_left told s leaves in
  let remembered s l =
    let value s (v, f) = look s (obj s v).fields.(f) in
    List.fold_left value s s.leaves.(l).remembered
  in
  let s =
    if Rules.on Scans_remembered rules then List.fold_left remembered s leaves
    else s
  in
  let scanned s l = with_leaf s l { (s.leaves.(l)) with scanned = true } in
  List.fold_left scanned s leaves

let scan_leaf rules s l push =
  let of_c = if Rules.on Scans_roots rules then [ s.root ] else [] in
  scan_leaves rules s [ l ] (of_c @ roots_of s l) push

(* C's roots include the first values of new domains. *)
let of_c s =
  let begins l (x : leaf) =
    if l >= tasks s && x.stage = Offered then [ x.record ] else []
  in
  s.root :: List.concat (List.mapi begins (Array.to_list s.leaves))

let scan_domain rules s d =
  let own = own s d and leaf = leaf s d in
  let leaves = if leaf = own then [ own ] else [ own; leaf ] in
  let roots = s.domains.(d).dls :: List.concat_map (roots_of s) leaves in
  let s = scan_leaves rules s leaves (of_c s @ roots) (push d) in
  with_domain s d { (s.domains.(d)) with scanned = true }

let flush s d =
  let x = s.domains.(d) in
  let brought = s.brought || x.greys <> [] in
  let s = { s with inbox = x.greys @ s.inbox; brought } in
  with_domain s d { x with greys = [] }
