(* A cell is a variable, or an attribute of a thread named by a variable, of
   the target or of [self], with an interval of its own at a point of a body.
   A missing cell has the interval of its attribute; a missing variable is
   unbounded. *)

open Core

type root = Variable of int | The_target | The_core
type cell = Number of int | Part of root * int
(* an attribute of a thread, or of [self] *)

module Cells = Map.Make (struct
  type t = cell

  let compare = compare
end)

type state = Interval.t Cells.t

exception Exhausted

type t = {
  of_attributes : Interval.t array; (* the result of the round before *)
  found : Interval.t option array; (* the values assigned in this round *)
  remembers : bool; (* an attribute may name a thread, and so be an alias *)
  loads_natural : bool; (* no load is negative *)
  mutable recording : bool; (* false while a loop is tried *)
  mutable parts : bool;
      (* other handlers do not set attributes of the threads meanwhile *)
  mutable holds : bool; (* the body holds the lock of [self] *)
  mutable actions : int; (* calls so far that may have set an attribute *)
  mutable fuel : int; (* the number of expressions that may still be looked at *)
}

(* {1 Cells} *)

let root e =
  match e.it with
  | Local l when l.local_ty = Thread -> Some (Variable l.local_id)
  | Target when e.ty_of = Thread -> Some The_target
  | Self -> Some The_core
  | _ -> None

let part t owner (a : attribute) =
  match (root owner, a.owner) with
  | _ when a.is_lazy || a.ty <> Int -> None
  | Some ((Variable _ | The_target) as r), Of_thread
    when t.parts && not t.remembers ->
      Some (Part (r, a.id))
  | Some The_core, Of_core when t.holds && not a.system ->
      Some (Part (The_core, a.id))
  | _ -> None

let cell t e =
  match e.it with
  | Local l when l.local_ty = Int -> Some (Number l.local_id)
  | Read (Some owner, a) -> part t owner a
  | _ -> None

let without keep (s : state) = Cells.filter (fun c _ -> not (keep c)) s
let of_root r = function Part (q, _) -> q = r | Number _ -> false
let of_attribute id = function Part (_, i) -> i = id | Number _ -> false
let is_part = function Part _ -> true | Number _ -> false

let join (a : state) (b : state) =
  Cells.merge
    (fun _ a b ->
      match (a, b) with Some a, Some b -> Some (Interval.hull a b) | _ -> None)
    a b

let join_all = function
  | [] -> None
  | s :: rest -> Some (List.fold_left join s rest)

let widen (before : state) now =
  Cells.merge
    (fun _ a b ->
      match (a, b) with
      | Some a, Some b -> Some (Interval.widen a b)
      | _ -> None)
    before now

(* {1 Values} *)

let same_cell t a b =
  match (cell t a, cell t b) with Some a, Some b -> a = b | _ -> false

(* Drops the cells of attributes from [s] if [t] counts more than [actions]
   calls: a call since then may have set an attribute. *)
let later t ~actions s = if t.actions > actions then without is_part s else s

(* Three attributes of the system have a meaning (doc/policy/reference.md), and so an
   interval. *)
let told (a : attribute) =
  match (a.owner, a.name) with
  | Of_thread, "sleep_time" | Global, "now" -> Interval.at_least 0
  | Global, "random" ->
      { Interval.least = Some 0; most = Some ((1 lsl 30) - 1) }
  | _ -> Interval.unbounded

let rec value t (s : state) e : Interval.t =
  t.fuel <- t.fuel - 1;
  if t.fuel < 0 then raise Exhausted;
  match e.it with
  | Int_value i -> Interval.exactly i
  | Minus e -> Interval.opposite (value t s e)
  | If_else (c, a, b) -> either t s c a b
  | Operation (operator, a, b) -> operation t s operator a b
  | Call (f, arguments) -> call t s f arguments
  | _ -> (
      let actions = t.actions in
      List.iter (fun e -> visit t (later t ~actions s) e) (Walk.operands e);
      match Option.bind (cell t e) (fun c -> Cells.find_opt c s) with
      | Some known -> known
      | None -> (
          match e.it with
          | Read (_, a) -> attribute t a
          | Runnable _ | Count _ -> Interval.at_least 0
          | Cload _ when t.loads_natural -> Interval.at_least 0
          | _ -> Interval.unbounded))

(* Evaluates the expression for the calls in it, which may set attributes. *)
and visit t s e = ignore (value t s e : Interval.t)

and attribute t (a : attribute) =
  match a.initial with
  | _ when a.ty <> Int -> Interval.unbounded
  | Some e when a.is_lazy -> value t Cells.empty e
  | None when a.is_lazy -> Interval.unbounded
  | _ -> t.of_attributes.(a.id)

and operation t s operator a b =
  let actions = t.actions in
  let left = value t s a in
  let right = value t (later t ~actions s) b in
  match operator with
  | Add -> Interval.sum left right
  | Sub -> Interval.sum left (Interval.opposite right)
  | Mul when same_cell t a b -> Interval.square left
  | Mul -> Interval.product left right
  | Div -> Interval.quotient left right
  | Mod -> Interval.remainder left right
  | Bit_and -> Interval.bit_and left right
  | Bit_or -> Interval.bit_or left right
  | And | Or | Eq | Ne | Lt | Le | Gt | Ge -> Interval.unbounded

and either t s c a b =
  let supposed = condition t s c in
  let side truth e = Option.map (fun s -> value t s e) (supposed truth) in
  match (side true a, side false b) with
  | Some a, Some b -> Interval.hull a b
  | Some one, None | None, Some one -> one
  | None, None -> Interval.unbounded

(* {1 Conditions} *)

(* The state after the condition, for each truth value; None if the condition
   cannot have that value. A condition with a call that sets an attribute
   refines no cell. *)
and condition t s c =
  let actions = t.actions in
  visit t s c;
  if t.actions > actions then
    let s = without is_part s in
    fun _ -> Some s
  else suppose t s c

and suppose t s c truth =
  match (c.it, truth) with
  | Bool_value b, _ -> if b = truth then Some s else None
  | Not c, _ -> suppose t s c (not truth)
  | Operation (And, a, b), true | Operation (Or, a, b), false ->
      Option.bind (suppose t s a truth) (fun s -> suppose t s b truth)
  | Operation (And, a, b), false | Operation (Or, a, b), true ->
      List.filter_map Fun.id [ suppose t s a truth; suppose t s b truth ]
      |> join_all
  | Operation (((Eq | Ne | Lt | Le | Gt | Ge) as o), a, b), _ when a.ty_of = Int
    ->
      compared t s a b (if truth then o else contrary o)
  | _ -> Some s

and contrary = function
  | Eq -> Ne
  | Ne -> Eq
  | Lt -> Ge
  | Ge -> Lt
  | Gt -> Le
  | Le -> Gt
  | (Add | Sub | Mul | Div | Mod | And | Or | Bit_and | Bit_or) as o -> o

and compared t s a b o =
  let left = value t s a and right = value t s b in
  let keep s e now (within : Interval.t) =
    match Interval.meet now within with
    | None -> None
    | Some now -> (
        match cell t e with
        | Some c -> Some (Cells.add c now s)
        | None -> Some s)
  in
  let both within_a within_b =
    Option.bind (keep s a left within_a) (fun s -> keep s b right within_b)
  in
  let up_to (i : Interval.t) = { i with least = None }
  and from (i : Interval.t) = { i with most = None } in
  match o with
  | Eq -> both right left
  | Lt -> both (Interval.below right) (Interval.above left)
  | Le -> both (up_to right) (from left)
  | Gt -> both (Interval.above right) (Interval.below left)
  | Ge -> both (from right) (up_to left)
  | _ -> both (other_than left right) (other_than right left)

(* An excluded number narrows an interval at an end only. *)
and other_than (mine : Interval.t) (theirs : Interval.t) : Interval.t =
  match theirs with
  | { least = Some l; most = Some m } when l = m ->
      {
        least = (if mine.least = Some l then Some (l + 1) else None);
        most = (if mine.most = Some l then Some (l - 1) else None);
      }
  | _ -> Interval.unbounded

(* {1 Calls} *)

and call t s f arguments =
  let actions = t.actions in
  let bound =
    List.fold_left2
      (fun bound (l : local) e ->
        let v = value t (later t ~actions s) e in
        if l.local_ty = Int then Cells.add (Number l.local_id) v bound
        else bound)
      Cells.empty f.parameters arguments
  in
  if f.effects.updates then t.actions <- t.actions + 1;
  let returned = ref [] in
  let _ : state option = block t bound f.func_body ~returned ~broken:(ref []) in
  match (f.result, !returned) with
  | Some Int, one :: more -> List.fold_left Interval.hull one more
  | _ -> Interval.unbounded

(* {1 Statements} *)

(* The result is None if the end of the block is not reached. *)
and block t s statements ~returned ~broken =
  match statements with
  | [] -> Some s
  | first :: rest ->
      Option.bind (statement t s first ~returned ~broken) (fun s ->
          block t s rest ~returned ~broken)

and statement t s ({ what; _ } as the_statement) ~returned ~broken =
  let actions = t.actions in
  let evaluated () =
    List.iter
      (fun e -> visit t (later t ~actions s) e)
      (Walk.expressions the_statement);
    later t ~actions s
  in
  match what with
  | Set_local (l, e) ->
      let v = value t s e in
      let s = later t ~actions s in
      Some
        (match l.local_ty with
        | Int -> Cells.add (Number l.local_id) v s
        | Thread -> without (of_root (Variable l.local_id)) s
        | _ -> s)
  | Set (owner, a, e) ->
      Option.iter (visit t s) owner;
      let v = value t (later t ~actions s) e in
      record t a v;
      let s = without (of_attribute a.id) (later t ~actions s) in
      Some
        (match Option.bind owner (fun o -> part t o a) with
        | Some (Part (Variable _, _) as c) ->
            (* The variable may be none. Then nothing is set, and a read gives
               the initial value. *)
            Cells.add c (Interval.hull v (begins t a)) s
        | Some c -> Cells.add c v s
        | None -> s)
  | If (c, a, b) ->
      let supposed = condition t s c in
      let side truth body =
        Option.bind (supposed truth) (fun s -> block t s body ~returned ~broken)
      in
      let yes = side true a in
      let no = side false b in
      join_all (List.filter_map Fun.id [ yes; no ])
  | Foreach { each; body; _ } -> loop t (evaluated ()) each body ~returned
  | Break ->
      broken := s :: !broken;
      None
  | Return e ->
      Option.iter (fun e -> returned := value t s e :: !returned) e;
      None
  | Move _ | Do _ -> Some (evaluated ())
  | Steal_for _ -> Some (without is_part (evaluated ()))

and record t (a : attribute) v =
  if t.recording then
    t.found.(a.id) <-
      Some
        (match t.found.(a.id) with
        | Some others -> Interval.hull others v
        | None -> v)

(* Intervals are widened from the third round on. One more round, from the
   widened intervals, may give a bound back. *)
and loop t s (each : local) body ~returned =
  let iteration from ~returned ~broken =
    block t
      (without (of_root (Variable each.local_id)) from)
      body ~returned ~broken
  in
  let once from =
    match iteration from ~returned:(ref []) ~broken:(ref []) with
    | Some ended -> join s ended
    | None -> s
  in
  let rec close n from =
    let next = join from (once from) in
    if Cells.equal ( = ) from next then from
    else close (n + 1) (if n < 2 then next else widen from next)
  in
  let recording = t.recording in
  t.recording <- false;
  let invariant = once (close 0 s) in
  t.recording <- recording;
  let broken = ref [] in
  let _ : state option = iteration invariant ~returned ~broken in
  join_all (invariant :: !broken)

(* {1 Initial values} *)

and begins t (a : attribute) =
  match a.initial with
  | _ when a.system && a.ty = Int -> told a
  | _ when a.system || a.ty <> Int || a.is_lazy -> Interval.unbounded
  | None -> Interval.exactly 0
  | Some e -> value t Cells.empty e

(* {1 Rounds} *)

type body = { statements : block; still : bool; locked : bool }

let bodies policy =
  let of_handler h =
    let without_lock =
      match h.event with
      | New | Unblock | Attach | Balancing | Detach | Withdraw -> true
      | _ -> Visits.steals h.handler_body
    in
    {
      statements = h.handler_body;
      still = (match h.event with Detach | Withdraw -> false | _ -> true);
      locked = not without_lock;
    }
  in
  List.map of_handler (Query.reactions policy)
  @ Option.fold ~none:[]
      ~some:(fun s ->
        [ { statements = s.by_core.take; still = true; locked = false } ])
      policy.steal

let remembers_threads policy =
  Array.exists (fun a -> a.ty = Thread) policy.attributes

let most_looks = 400_000
let rounds_before_widening = 4
let rounds_of_narrowing = 6

let start policy of_attributes ~fuel =
  let loads_natural =
    match Query.load policy with
    | None -> true
    | Some load -> Interval.is_natural of_attributes.(load.id)
  in
  {
    of_attributes;
    found = Array.make (Array.length policy.attributes) None;
    remembers = remembers_threads policy;
    loads_natural;
    recording = true;
    parts = true;
    holds = false;
    actions = 0;
    fuel;
  }

(* The intervals of the attributes after one more event. *)
let once policy bodies fuel of_attributes =
  let t = start policy of_attributes ~fuel:!fuel in
  let walk { statements; still; locked } =
    t.parts <- still;
    t.holds <- locked;
    let _ : state option =
      block t Cells.empty statements ~returned:(ref []) ~broken:(ref [])
    in
    ()
  in
  List.iter walk bodies;
  let after i found =
    let first = begins t policy.attributes.(i) in
    Option.fold ~none:first ~some:(Interval.hull first) found
  in
  let all = Array.mapi after t.found in
  fuel := t.fuel;
  all

let rec widened once n before =
  let now = Array.map2 Interval.hull before (once before) in
  if now = before then before
  else
    widened once (n + 1)
      (if n < rounds_before_widening then now
       else Array.map2 Interval.widen before now)

let rec narrowed once n before =
  let narrower before now =
    Option.value ~default:before (Interval.meet before now)
  in
  let now = Array.map2 narrower before (once before) in
  if n = 0 || now = before then now else narrowed once (n - 1) now

let settle policy =
  let bodies = bodies policy and fuel = ref most_looks in
  let once = once policy bodies fuel in
  let none = Array.map (fun _ -> Interval.exactly 0) policy.attributes in
  let t = start policy none ~fuel:!fuel in
  let first = Array.map (begins t) policy.attributes in
  let all = narrowed once rounds_of_narrowing (widened once 0 first) in
  let t = start policy all ~fuel:!fuel in
  Array.map (attribute t) policy.attributes

let attributes policy =
  try settle policy
  with Exhausted -> Array.map (fun _ -> Interval.unbounded) policy.attributes

let expression policy of_attributes e =
  let t = start policy of_attributes ~fuel:most_looks in
  t.parts <- false;
  try value t Cells.empty e with Exhausted -> Interval.unbounded
