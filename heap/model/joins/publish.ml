open State
open Access
open Fault
open Label

let drained = Memory.drained
let go s d x = with_domain s d { (s.domains.(d)) with activity = Section x }

let start s d goal =
  let x = { goal; level = 0; stack = []; part = Alone; phase = Level } in
  go s d x

let some v = if v = nil then [] else [ v ]

let roots s d = function
  | Write w -> some w.v
  | Offer o -> some o.closure
  | Enter _ | Leave _ ->
      let own = s.tasks.(own s d).regs in
      List.concat_map some (s.domains.(d).dls :: Array.to_list own)

(* {1 The protocol of stores and of lowering}

   The phases of a section under [Exclusive] or [Asymmetric]. A section begins
   in Level.

     Level     reads the depth to publish at; a store that must
               announce itself -> Announce; otherwise -> Walk
     Announce  the store sets its flag -> Look
     Look      reads the lock: free -> Level; taken -> Retreat
     Retreat   the flag is cleared; waits until the lock is free -> Announce
     Walk      pins objects; a pin to lower -> Lock; at the end -> Act
     Lock      takes the lock -> Fence ([Asymmetric]) or Drain
     Fence e   makes each domain in turn run a fence -> Drain
     Drain e   waits until no domain announces a store -> Level
     Children  after a pin was lowered: reads the fields -> Walk
     Holes     a fork that sets apart pins the objects around holes -> Act
     Act       does the store, the fork or the switch *)

(* A store sets its flag and looks at the lock, with a fence between the two.
   Under [Asymmetric], the store runs no fence: the lowering domain makes all
   domains run one. *)
let announce rules s d x =
  let next = { x with part = Beside; phase = Look } in
  let storing = Storing true in
  if rules.fault = Some Unannounced then say "goes on" [] (go s d next)
  else if
    rules.protocol = Asymmetric || rules.fault = Some Announced_without_fence
  then say "announces a store" [] (go (Memory.put s d storing) d next)
  else if not (drained s d) then []
  else say "announces a store" [] (go (Memory.apply s d storing) d next)

let look rules s d x =
  if s.lowering < 0 then
    let early = rules.fault = Some Level_read_early in
    let stack = if early then roots s d x.goal else x.stack in
    let phase = if early then Walk else Level in
    say "sees that no domain lowers" [] (go s d { x with phase; stack })
  else
    let s = Memory.put s d (Storing false) in
    say "sees that another domain lowers" [] (go s d { x with phase = Retreat })

let lock rules s d x =
  if s.lowering >= 0 || not (drained s d) then []
  else
    let early = rules.fault = Some Others_fenced_early in
    let asks = rules.protocol = Asymmetric && not early in
    let s = { s with lowering = d } in
    let phase = if asks then Fence 0 else Drain 0 in
    say "takes the lock" [] (go s d { x with phase })

(* The domains run the fence one after the other: each fence is a step. *)
let fence_others rules s d x e =
  if e = Array.length s.domains then
    let early = rules.fault = Some Others_fenced_early in
    let phase = if early then Lock else Drain 0 in
    say "knows that all domains have run a fence" [] (go s d { x with phase })
  else
    let s = Memory.fence s e in
    say "has domain % run a fence" [ e ]
      (go s d { x with phase = Fence (e + 1) })

let drain rules s d x e =
  if e = Array.length s.domains then
    let again = rules.fault <> Some Level_not_read_again in
    let phase = if again then Level else Walk in
    say "has waited for stores" [] (go s d { x with phase; part = Lowering })
  else if
    e = d || rules.fault = Some Nobody_awaited || not s.domains.(e).storing
  then
    let next = { x with phase = Drain (e + 1) } in
    say "sees no store of domain %" [ e ] (go s d next)
  else []

let release s d x =
  match x.part with
  | Alone -> s
  | Beside -> Memory.put s d (Storing false)
  | Lowering -> Memory.put s d Unlock

(* {1 The walk} *)

(* Notes the pin in the owner's log, so that the owner lets the pin expire. *)
let log s d v level =
  let t = leaf s d in
  let x = s.tasks.(t) in
  if (obj s v).heap <> t || level = 1 || x.disordered then s
  else if List.mem (v, level) x.log then s
  else with_task s t { x with log = (v, level) :: x.log }

let children s d v =
  let n = Array.length (obj s v).fields in
  List.filter (( <> ) nil) (List.init n (Memory.field s d v))

let pins rules s d v =
  Memory.is_private s d v
  && not (rules.fault = Some Expired_counts_as_pinned && (obj s v).pin = expired)

let stops rules s d v =
  let own = (obj s v).heap = leaf s d in
  (obj s v).heap = frozen
  || (own && rules.fault = Some Lowers_nothing)
  || (own && pin_of (obj s v) = expired)

(* Pins private objects up to the first object reachable by other domains. No
   other domain sees a private object, so the pinning of a private object is no
   step. *)
let rec walk rules s d x =
  match x.stack with
  | [] -> go s d { x with phase = Act }
  | v :: stack ->
      if pins rules s d v then
        let stack = children s d v @ stack in
        let s = Memory.apply s d (Pin (v, x.level)) in
        walk rules (log s d v x.level) d { x with stack }
      else if stops rules s d v then walk rules s d { x with stack }
      else go s d { x with phase = Walk }

let depth_for s d = function
  | Write w -> Memory.pin s d w.target
  | Offer _ ->
      let x = s.tasks.(leaf s d) in
      if x.disordered then 1 else min (x.depth + 1) s.deepest
  | Enter _ | Leave _ -> 1

(* {1 Setting apart} *)

(* A bulk pin of a deeper fork, which is over, is kept for the new fork, at the
   depth of the new fork. *)
let set_apart rules s d level holes =
  let t = leaf s d in
  let again o =
    match rules.fault with
    | Some Apart_not_kept -> false
    | Some Apart_made_deeper -> o.apart < level
    | _ -> o.apart > level
  in
  let apart i o =
    let due = o.heap = t && (o.apart = 0 || again o) in
    if due && not (List.mem (i + 1) holes) then
      { o with apart = level; young = false }
    else o
  in
  let s = { s with objects = Array.mapi apart s.objects } in
  with_task s t { (s.tasks.(t)) with remembered = [] }

(* A permanent pin stays permanent, and the depth of a fork does not change: in
   both cases the section announces no store. *)
let must_announce rules x level =
  let can_change = match x.goal with Write _ -> level > 1 | _ -> false in
  rules.protocol <> Second_look && x.part = Alone && can_change

(* A store reads its level again under the lock. The level of a fork does not
   change. *)
let level_of rules s d x =
  match x.goal with
  | Offer _ when x.part = Lowering -> x.level
  | _ ->
      let level = depth_for s d x.goal in
      if rules.fault = Some One_deeper then level + 1 else level

let sets_apart x =
  match x.goal with
  | Offer { apart; _ } -> apart && x.level > 1
  | Write _ | Enter _ | Leave _ -> false

let set_all_apart rules s d x holes =
  let s = set_apart rules s d x.level holes in
  say "sets all apart at %" [ x.level ] (go s d { x with phase = Act })

(* True if the object is in a chunk where a young collection leaves only pinned
   objects. *)
let in_hole s d v =
  let o = obj s v in
  o.heap = leaf s d && o.apart = 0 && o.pin <> 0

let in_holes s d =
  let all = List.init (Array.length s.objects) succ in
  List.filter (in_hole s d) all

(* Chooses the objects around holes whose pins have expired or are too deep. The
   objects are then pinned again in place. *)
let look_in_holes rules s d x holes =
  let due v =
    let pin = Memory.own_pin s d v in
    if pin = expired then rules.fault <> Some Expired_not_again
    else pin > x.level && rules.fault <> Some Deeper_not_again
  in
  let phase = Holes (List.filter due holes) in
  say "looks at pinned objects around holes" [] (go s d { x with phase })

let pin_again rules s d x due =
  let again s v =
    let s = Memory.apply s d (Pin (v, x.level)) in
    if rules.fault = Some Again_not_noted then s else log s d v x.level
  in
  let holes = in_holes s d in
  set_all_apart rules (List.fold_left again s due) d x holes

(* Two choices: the heap has no holes, or the heap has some. *)
let begin_apart rules s d x =
  let holes = in_holes s d in
  set_all_apart rules s d x []
  @ if holes = [] then [] else look_in_holes rules s d x holes

(* A fork that sets its heap apart walks no further than the closure. *)
let begin_walk rules s d x =
  match x.stack with
  | v :: _ when sets_apart x && pins rules s d v ->
      let s = log (Memory.apply s d (Pin (v, x.level))) d v x.level in
      begin_apart rules s d x
  | _ -> say "publishes at %" [ x.level ] (walk rules s d x)

let level rules s d x =
  let level = level_of rules s d x in
  let known = if rules.fault = Some Level_read_early then level else x.level in
  if must_announce rules x level then
    say "must announce a store" []
      (go s d { x with phase = Announce; level = known })
  else
    let half = if rules.fault = Some Half_walk_forgotten then [] else x.stack in
    let stack =
      match (x.goal, rules.fault) with
      | (Enter _ | Leave _), Some Switch_publishes_nothing -> []
      | goal, _ -> roots s d goal @ half
    in
    begin_walk rules s d { x with level; stack }

let look_at_children rules s d x v =
  if sets_apart x then begin_apart rules s d x
  else
    let stack = children s d v @ x.stack in
    say "looks at the fields of o%" [ v ] (walk rules s d { x with stack })

(* Notes a lowered object without a pin of its own: the owner's log has no entry
   for the object. *)
let lowered_apart (rules : Fault.rules) s v =
  let heap = (obj s v).heap in
  let x = s.tasks.(heap) in
  if rules.fault = Some Apart_lowered_not_noted then s
  else with_task s heap { x with lowered = v :: x.lowered }

let lower rules s d x v pin =
  let write =
    if rules.fault = Some No_fence_in_lowering then Memory.put else Memory.apply
  in
  let own = Memory.own_pin s d v and heap = (obj s v).heap in
  let s = write s d (Pin (v, x.level)) in
  let s =
    if private_pin own then lowered_apart rules s v
    else if heap = leaf s d then log s d v x.level
    else Memory.put s d (Touch v)
  in
  let s =
    if rules.fault = Some Children_not_lowered then walk rules s d x
    else go s d { x with phase = Children v }
  in
  say "lowers o% from % to %" [ v; pin; x.level ] s

(* Visits an object reachable by other domains. *)
let visit rules s d x v stack =
  let pin = Memory.pin s d v in
  let as_it_was =
    match x.goal with
    | Offer _ -> (obj s v).apart > 0 && rules.fault = Some Apart_left_deeper
    | _ -> false
  in
  let atomic = rules.fault <> Some No_fence_in_lowering in
  let own_only = rules.fault = Some Switch_publishes_own_only in
  let next = { x with stack } in
  if private_pin pin then
    say "meets o%" [ v ]
      { s with broken = "publishing meets an object of another task" }
  else if pin <= x.level || as_it_was then
    say "o% has pin %" [ v; pin ] (walk rules s d next)
  else if own_only && (obj s v).heap <> leaf s d then
    say "o% is of another heap" [ v ] (walk rules s d next)
  else if rules.protocol <> Second_look && x.part <> Lowering then
    let keep = rules.fault = Some Lock_while_announced in
    let s = if keep then s else release s d x in
    let early = rules.fault = Some Others_fenced_early in
    let phase = if early then Fence 0 else Lock in
    say "o% has pin %, and must be lowered" [ v; pin ] (go s d { x with phase })
  else if rules.protocol = Second_look && atomic && not (drained s d) then []
  else lower rules s d next v pin

(* {1 The protocol [Second_look]} *)

let again rules s d x target =
  let pin = Memory.pin s d target in
  let ready = with_domain s d { (s.domains.(d)) with activity = Ready } in
  if rules.fault = Some No_second_look then say "goes on" [] ready
  else if rules.fault <> Some No_fence_before_second_look && not (drained s d)
  then []
  else if pin < x.level then
    let x = { x with level = pin; stack = roots s d x.goal } in
    say "looks again: o% has pin %" [ target; pin ] (walk rules s d x)
  else say "looks again: o% still has pin %" [ target; pin ] ready

(* {1 Phases} *)

let finish rules s d x =
  let ready s = with_domain s d { (s.domains.(d)) with activity = Ready } in
  match (rules.protocol, x.goal) with
  | (Exclusive | Asymmetric), _ -> ready (release s d x)
  | Second_look, Write _ when x.level > 1 -> go s d { x with phase = Again }
  | Second_look, _ -> ready s

let step rules s d x =
  match (x.phase, x.goal, x.stack) with
  | Announce, _, _ -> announce rules s d x
  | Look, _, _ -> look rules s d x
  | Retreat, _, _ -> if s.lowering >= 0 then [] else announce rules s d x
  | Lock, _, _ -> lock rules s d x
  | Fence e, _, _ -> fence_others rules s d x e
  | Drain e, _, _ -> drain rules s d x e
  | Level, _, _ -> level rules s d x
  | Walk, _, v :: stack -> visit rules s d x v stack
  | Children v, _, _ -> look_at_children rules s d x v
  | Holes due, _, _ -> pin_again rules s d x due
  | (Act | Walk), goal, _ ->
      let finished (label, s) = (label, finish rules s d x) in
      List.map finished (Goal.reach rules s d goal)
  | Again, Write w, _ -> again rules s d x w.target
  | Again, (Offer _ | Enter _ | Leave _), _ -> []
