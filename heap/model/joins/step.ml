open State
open Access
open Fault
open Label

(* {1 Loads and stores} *)

let alloc (c : Scenario.t) s t r =
  let fields = Array.make c.fields nil in
  let fresh = { heap = t; young = true; pin = 0; apart = 0; fields } in
  let s = { s with objects = Array.append s.objects [| fresh |] } in
  let v = Array.length s.objects in
  say "o% = a new object" [ v ] (with_reg s t r v)

let young_of s heap v =
  v <> nil
  &&
  let o = obj s v in
  o.heap = heap && o.young && o.pin = 0

(* Remembers the field once: not if it already held a young object, since an
   earlier store has remembered it then. *)
let store_privately rules s t a f v swap =
  let o = obj s a in
  let forget = rules.fault = Some Expired_not_remembered in
  let old = (not o.young) || (o.pin = expired && not forget) in
  let known = swap = None && young_of s t o.fields.(f) in
  let s' = with_field s a f v in
  if old && young_of s t v && not known then
    let x = s.tasks.(t) in
    let others = List.filter (( <> ) (a, f)) x.remembered in
    with_task s' t { x with remembered = (a, f) :: others }
  else s'

let store rules s d a f v swap =
  let t = leaf s d in
  let own = (obj s a).heap = t in
  if
    Memory.is_private s d a
    || (own && rules.fault = Some Pinned_counts_as_private)
  then
    let old = (obj s a).fields.(f) in
    let s = store_privately rules s t a f v swap in
    let s = match swap with None -> s | Some r -> with_reg s t r old in
    say "o%.% := o%, its own" [ a; f; v ] s
  else if v = nil && swap = None then
    say "stores o%.% := nothing" [ a; f ] (Memory.put s d (Field (a, f, nil)))
  else
    let goal = Write { target = a; field = f; v; swap } in
    say "begins o%.% := o%" [ a; f; v ] (Publish.start s d goal)

(* {1 Operations} *)

let fork s d v child apart =
  if s.tasks.(child).stage <> Unborn then []
  else
    let goal = Offer { child; closure = v; apart } in
    let c = { (s.tasks.(child)) with stage = Chosen } in
    let s = with_task s child c in
    say "forks task % with o%" [ child; v ] (Publish.start s d goal)

let perform rules c s d op =
  let t = leaf s d in
  let reg r = s.tasks.(t).regs.(r) in
  let dls = s.domains.(d).dls in
  match op with
  | Alloc r -> alloc c s t r
  | (Load (_, a, _) | Store (a, _, _) | Swap (_, a, _, _)) when reg a = nil ->
      []
  | Load (r, a, f) ->
      let v = Memory.field s d (reg a) f in
      say "loads o%.%: o%" [ reg a; f; v ] (with_reg s t r v)
  | Store (a, f, b) -> store rules s d (reg a) f (reg b) None
  | Swap (r, a, f, b) -> store rules s d (reg a) f (reg b) (Some r)
  | Clear r when reg r = nil -> []
  | Clear r -> say "forgets o%" [ reg r ] (with_reg s t r nil)
  | Fork (r, child) -> fork s d (reg r) child false
  | Fork_apart (r, child) ->
      if is_own s t then [] else fork s d (reg r) child true
  | Join_of child -> Join.of_task rules s d child
  | Set_cell r ->
      let s = with_task s t { (s.tasks.(t)) with cell = reg r } in
      say "its cell := o%" [ reg r ] s
  | Get_cell r ->
      let v = s.tasks.(t).cell in
      say "reads its cell: o%" [ v ] (with_reg s t r v)
  | Join -> Join.start rules s d
  | Join_oldest -> Join.oldest rules s d
  | Suspend -> say "suspends" [] (Publish.start s d (Leave Suspended))
  | Set_dls r ->
      let x = { (s.domains.(d)) with dls = reg r } in
      say "DLS := o%" [ reg r ] (with_domain s d x)
  | Get_static r -> say "has o%" [ s.static ] (with_reg s t r s.static)
  | Get_dls r -> say "reads DLS: o%" [ dls ] (with_reg s t r dls)

let finish rules s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  if x.parent < 0 || x.frames <> [] then []
  else
    let early = rules.fault = Some Finished_before_switch in
    let s = if early then Goal.end_ s t else s in
    say "task % ends" [ t ] (Publish.start s d (Leave Finished))

let rec forks (c : Scenario.t) s i =
  if i = Array.length s.tasks then []
  else if s.tasks.(i).stage = Unborn then
    let whole = if c.fork_apart then [ Fork_apart (0, i) ] else [] in
    Fork (0, i) :: Fork (1, i) :: whole
  else forks c s (i + 1)

let chosen rules (c : Scenario.t) s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  let s' = with_task s t { x with fuel = x.fuel - 1 } in
  let forking = c.forks && not (is_own s t) in
  let menu = if forking then forks c s 1 @ c.menu else c.menu in
  if x.fuel = 0 then [] else List.concat_map (perform rules c s' d) menu

let operations rules c s d =
  let t = leaf s d in
  let x = s.tasks.(t) in
  match x.script with
  | _ when x.late >= 0 -> Join.read_late s d
  | op :: script -> perform rules c (with_task s t { x with script }) d op
  | [] -> chosen rules c s d @ Join.start rules s d @ finish rules s d

(* {1 Collections, and idle domains} *)

let collections rules (c : Scenario.t) s d =
  let heap = leaf s d in
  let own o = o.heap = heap && private_pin (pin_of o) in
  if c.leaves && Array.exists own s.objects && Memory.drained s d then
    say "young collection" [] (Collect.leaf rules Young d s)
    @ say "full collection" [] (Collect.leaf rules Full d s)
  else []

let tasks_to_run s d =
  let run t x =
    let taken stage =
      Publish.start (with_task s t { x with stage }) d (Enter t)
    in
    match x.stage with
    | Offered -> say "takes task %" [ t ] (taken Taken)
    | Suspended -> say "resumes task %" [ t ] (taken Waking)
    | _ -> []
  in
  List.concat (List.mapi run (Array.to_list s.tasks))

(* Among several idle domains in equal states, only the first acts. *)
let may_take (c : Scenario.t) s d =
  let idle e =
    let x = s.domains.(e) in
    let own = s.tasks.(own s e) in
    x.task < 0 && x.dls = nil && x.activity = Ready && x.buffer = []
    && own.regs.(1) = nil
    && own.fuel = c.own.fuel && own.script = c.own.script
  in
  Memory.drained s d && not (idle d && List.exists idle (List.init d Fun.id))

let ready rules c s d =
  let takes =
    if s.domains.(d).task < 0 && may_take c s d then tasks_to_run s d else []
  in
  takes @ operations rules c s d
  @ Expiry.put_off_earlier rules s d
  @ collections rules c s d

(* {1 All domains} *)

let next_of rules c s d =
  let does =
    match s.domains.(d).activity with
    | Ready -> ready rules c s d
    | Section x -> Publish.step rules s d x
    | Expire e -> Expiry.step rules s d e.child e.entries e.due
    | Note child -> Expiry.note rules s d child
    | Bring_back child -> Expiry.bring_back rules s d child
    | Append a -> Join.append rules s d a.child a.lowered
  in
  let named ((format, numbers), s) =
    (("domain %: " ^ format, d :: numbers), s)
  in
  List.map named (Memory.flush s d @ does)

let world rules (c : Scenario.t) s =
  let still x = x.activity = Ready && x.buffer = [] in
  if c.world && Array.for_all still s.domains then
    say "global collection" [] (Collect.global rules s)
  else []

let next rules (c : Scenario.t) s =
  List.concat (List.init c.domains (next_of rules c s)) @ world rules c s
