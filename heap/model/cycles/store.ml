open Label
open State
open Access

type steps = (Label.t * State.t) list

let is_own s d target =
  let o = obj s target in
  o.kind = Private (leaf s d) && not o.apart

(* While one heap is left, a store into a variable publishes nothing. *)
let publish rules s d target v =
  let o = obj s target in
  if o.kind = Static && alone s then Some s
  else Pin.publish rules (if is_lent o then A_join else For_good) s d v

let write s d w =
  say "stores o%.% := o%" [ w.target; w.field; w.v ]
    (Memory.put (become s d Ready) d w)

let store rules s d target field v =
  let w = { target; field; v } and old = Memory.field s d target field in
  if is_own s d target then
    let s = Leaves.remember rules s (leaf s d) w in
    say "o%.% := o%, its own" [ target; field; v ] (Memory.apply s w)
  else
    match publish rules s d target v with
    | None -> []
    | Some s when not (watches s d) -> write s d w
    | Some s when (obj s target).weak -> write s d w
    | Some s ->
        let s = Mark.overwritten rules s d target old in
        say "is to store o%.% := o%, for o%" [ target; field; v; old ]
          (become s d (Writes w))

(* The exchange returns the overwritten value, so the barrier for that value
   runs afterwards. *)
let replace s d reg w =
  let old = (obj s w.target).fields.(w.field) in
  let s = with_reg (Memory.apply s w) (leaf s d) reg old in
  let activity = if watches s d then Replaced { w with v = old } else Ready in
  say "puts o% into o%.%, for o%"
    [ w.v; w.target; w.field; old ]
    (become s d activity)

let exchange rules s d reg target field v =
  let w = { target; field; v } in
  if is_own s d target then
    let old = (obj s target).fields.(field) in
    let s = Leaves.remember rules s (leaf s d) w in
    say "o%.% := o%, its own" [ target; field; v ]
      (with_reg (Memory.apply s w) (leaf s d) reg old)
  else
    match publish rules s d target v with
    | None -> []
    | Some s ->
        say "is to exchange o%.% for o%" [ target; field; v ]
          (become s d (Exchanges (reg, w)))

let go_on rules s d = function
  | Ready -> []
  | Writes w -> write s d w
  | Exchanges _ when not (Memory.drained s d) -> []
  | Exchanges (reg, w) -> replace s d reg w
  | Replaced { target; v; _ } ->
      let s = Mark.overwritten rules (become s d Ready) d target v in
      say "has replaced o%" [ v ] s
  | Sweeps found -> Sweep.go_on rules s d found
  | Resumes (r, v) -> Cont.take s d r v
  | (Reads _ | Revives _ | Clears _) as activity ->
      Weak.go_on rules s d activity

(* {1 C's roots} *)

let set_root rules s d v =
  let s = Mark.shade rules (Mark.shade rules s d s.root) d v in
  say "C's root := o%" [ v ] { s with root = v }

let is_others s d v =
  v > 0
  &&
  match (obj s v).kind with
  | Private l -> l <> leaf s d && not (obj s v).apart
  | _ -> false

(* While the root holds a private object, only the owner of the object reads the
   root. *)
let get_root s d r =
  if is_others s d s.root then []
  else say "reads C's root: o%" [ s.root ] (with_reg s (leaf s d) r s.root)
