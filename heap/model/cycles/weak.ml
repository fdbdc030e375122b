open Label
open State
open Access

type steps = (Label.t * State.t) list

(* {1 Reading} *)

let result s d r v =
  let s = with_reg (become s d Ready) (leaf s d) r.reg v in
  say "has o% from o%.%" [ v; r.from; r.slot ] (Reach.undoom s)

let field s d r = Memory.field s d r.from r.slot

let read s d r =
  if not (marking s) then result s d r (field s d r)
  else
    say
      (if s.decided then "reads o%.%: it has been decided" else "reads o%.%")
      [ r.from; r.slot ]
      (become s d (Reads (r, s.decided)))

(* True if the data of a dead key was read. *)
let of_the_dead s r v =
  let o = obj s r.from in
  let is_dead slot = unmet s o.fields.(slot) in
  r.slot = data_slot && v <> nil && List.exists is_dead (keys o)

let when_decided rules s d r =
  let v = field s d r in
  let v = if Rules.on Dead_reads_none rules && unmet s v then nil else v in
  let broken =
    if of_the_dead s r v then "the data of a dead key is read" else ""
  in
  result { s with broken } d r v

let look rules s d r decided =
  if not decided then
    let v = field s d r in
    say "looks: o%" [ v ] (become s d (Revives (r, v)))
  else if r.slot = data_slot && Rules.on Data_with_key rules then
    let left = [ r.from ] in
    say "clears first" []
      (become s d (Clears { left; found = None; for_ = Some r }))
  else when_decided rules s d r

(* Marks the value that was read. Under a lock. *)
let revive rules s d r v =
  let shared = v > 0 && pinned (obj s v) in
  if (not shared) || (not (watches s d)) || (obj s v).met then result s d r v
  else if not (Memory.drained s d) then []
  else if s.decided && Rules.on Reads_again rules then read s d r
  else if not (Rules.on Marks_read rules) then result s d r v
  else
    let given = Rules.on Gives_read rules in
    let s =
      Mark.grey rules (if given then Mark.to_inbox else Mark.push d) s v
    in
    let brought = s.brought || (given && Rules.on Tells_read rules) in
    result { s with brought } d r v

(* {1 Clearing} *)

let is_lost s e =
  let o = obj s e in
  let lives slot = o.fields.(slot) <> nil && not (unmet s o.fields.(slot)) in
  unmet s (data_of o) && List.for_all lives (keys o)

(* Looks for the next dead key. *)
let look_on rules s l =
  let o = obj s l.whose in
  let is_dead slot = l.slot >= 0 && slot >= l.slot && unmet s o.fields.(slot) in
  let all = Rules.on Clears_each rules || l.slot = 0 in
  match List.find_opt is_dead (keys o) with
  | Some slot when all -> { l with slot; key = o.fields.(slot) }
  | _ -> { l with slot = -1; key = nil }

let look_at rules s e =
  let data = data_of (obj s e) in
  let l = { whose = e; slot = 0; key = nil; data; lost = unmet s data } in
  look_on rules s l

let cleared s e f = Memory.apply s { target = e; field = f; v = nil }

let clear_key rules s l =
  let now = (obj s l.whose).fields.(l.slot) in
  let last slot = slot <= l.slot in
  let slot =
    if List.for_all last (keys (obj s l.whose)) then -1 else l.slot + 1
  in
  let l' = { l with key = nil; slot } in
  let s' = cleared s l.whose l.slot in
  if now = l.key then ({ l' with lost = true }, s')
  else if Rules.on Exchanges_key rules then (l', s)
  else
    let broken = "a weak pointer that has just been set is cleared" in
    (l', { s' with broken })

let clear_data s l =
  if l.data <> nil && data_of (obj s l.whose) = l.data then
    cleared s l.whose data_slot
  else s

let cleared_all s d =
  let x = s.domains.(d) in
  with_domain s d { x with activity = Ready; answered = true }

let check s e =
  if is_lost s e then { s with broken = "the data of a live key is lost" }
  else s

let unlist s e = with_obj s e { (obj s e) with listed = false }
let is_dead l = l.key <> nil || l.lost
let goes_on l = if l.slot < 0 && not l.lost then None else Some l

let clear rules s d left found for_ =
  let go s left found = become s d (Clears { left; found; for_ }) in
  match (found, left) with
  | Some l, _ when l.key <> nil ->
      let what = "clears o%'s key, if that is o% still" in
      let l', s' = clear_key rules s l in
      say what [ l.whose; l.key ] (go s' left (goes_on l'))
  | Some l, _ when l.slot >= 0 ->
      let l' = look_on rules s l in
      say "looks at o%'s other keys" [ l.whose ] (go s left (goes_on l'))
  | Some l, _ ->
      say "clears o%'s data" [ l.whose ] (go (clear_data s l) left None)
  | _, e :: left when for_ = None && unmet s e ->
      say "forgets o%" [ e ] (go (unlist s e) left None)
  | _, e :: left ->
      let l = look_at rules s e in
      let found = if is_dead l then Some l else None in
      say "looks at o%" [ e ] (go (check s e) left found)
  | _, [] -> (
      match for_ with
      | Some r -> when_decided rules s d r
      | None -> say "has cleared" [] (cleared_all s d))

let go_on rules s d = function
  | Reads (r, decided) -> look rules s d r decided
  | Revives (r, v) -> revive rules s d r v
  | Clears { left; found; for_ } when Memory.drained s d ->
      clear rules s d left found for_
  | _ -> []

(* {1 Tending} *)

let clear_now rules s e =
  if unmet s e then unlist s e
  else
    let rec clear l s =
      if l.key <> nil then
        let l, s = clear_key rules s l in
        clear (look_on rules s l) s
      else if l.lost then clear_data s l
      else s
    in
    clear (look_at rules s e) (check s e)

let weak_in s l =
  let is o = o.listed && if l < 0 then o.kind = Frozen else leaf_of o = l in
  numbered is s

let revives s v = Reach.undoom { s with revived = v :: s.revived }

let take s v l =
  let x = s.leaves.(l) in
  revives (with_leaf s l { x with todo = v :: x.todo }) v

let take_unmet s l =
  let x = s.leaves.(l) in
  if unmet s x.told then take (with_leaf s l { x with told = nil }) x.told l
  else s

let take_unmet_last rules s l =
  let x = s.leaves.(l) in
  if unmet s x.last && Rules.on Takes_last rules then
    with_leaf s l { x with last = nil }
  else s

let clear_all rules s l = List.fold_left (clear_now rules) s (weak_in s l)
let tended s l = with_leaf s l { (s.leaves.(l)) with tended = true }

let tend rules s l =
  if s.leaves.(l).tended then s
  else
    match s.phase with
    | Final | Final_frozen -> tended (take_unmet s l) l
    | Clear | Clear_frozen ->
        tended (take_unmet_last rules (clear_all rules s l) l) l
    | Idle | Rest | Greet | Again | Scan | Common _ | Trace | Flush | End -> s

let tend_waiting rules s =
  let tend s l =
    match s.leaves.(l).stage with
    | Suspended | Finished -> tend rules s l
    | Unborn | Offered | Running | Gone -> s
  in
  if Rules.on Tends_waiting rules then
    List.fold_left tend s (List.init (tasks s) Fun.id)
  else s

let take_frozen s l =
  if unmet s s.told then take { s with told = nil } s.told l else s

let clear_frozen rules s =
  let s = if unmet s s.last then { s with last = nil } else s in
  if Rules.on Tends_frozen rules then clear_all rules s (-1) else s

let answer rules s d =
  let own = own s d and leaf = leaf s d in
  let leaves = if leaf = own then [ own ] else [ own; leaf ] in
  if s.phase = Final then cleared_all (List.fold_left (tend rules) s leaves) d
  else
    let left = List.concat_map (weak_in s) leaves in
    let s = List.fold_left (take_unmet_last rules) s leaves in
    let s = List.fold_left tended s leaves in
    if left = [] then cleared_all s d
    else become s d (Clears { left; found = None; for_ = None })

let shade_revived rules s =
  if s.revived = [] then None
  else
    let shade = Mark.grey rules Mark.to_pool in
    let s =
      if Rules.on Marks_revived rules then List.fold_left shade s s.revived
      else s
    in
    Some { s with revived = [] }

let forget s =
  let s = { s with revived = []; ephemerons = []; looked = [] } in
  { s with again = false; finalised = false; decided = false }
