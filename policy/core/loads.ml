(* Intervals, one attribute at a time. An attribute that is reached again while
   it is looked at is unbounded: no widening is needed, and the depth is at most
   the number of attributes. *)

open Core

type bounds = { least : int option; most : int option }

type t =
  | Each of int
  | Between of { least : int; most : int option }
  | Anything

let unbounded = { least = None; most = None }
let exactly i = { least = Some i; most = Some i }
let both f a b = match (a, b) with Some a, Some b -> Some (f a b) | _ -> None

let hull a b =
  { least = both min a.least b.least; most = both max a.most b.most }

let rec statements_of (block : block) =
  List.concat_map
    (fun s ->
      s
      ::
      (match s.what with
      | If (_, a, b) -> statements_of a @ statements_of b
      | Foreach { body; _ } -> statements_of body
      | _ -> []))
    block

let all_statements policy =
  let steal =
    match policy.steal with
    | Some s -> statements_of s.by_core.take
    | None -> []
  in
  steal
  @ List.concat_map (fun h -> statements_of h.handler_body) policy.handlers
  @ List.concat_map
      (fun f -> statements_of f.func_body)
      (Array.to_list policy.functions @ policy.interface)

(* What each attribute is set to, by its number: one walk for a policy. *)
let assignments policy =
  let table = Array.make (Array.length policy.attributes) [] in
  List.iter
    (fun s ->
      match s.what with
      | Set (_, a, e) -> table.(a.id) <- e :: table.(a.id)
      | _ -> ())
    (all_statements policy);
  Array.map List.rev table

(* Of the policy that was asked about last in this domain. *)
type found = {
  of_policy : policy;
  set_to : expression list array;
  intervals : (int, bounds) Hashtbl.t; (* by attribute *)
}

let latest = Domain.DLS.new_key (fun () -> None)

let found policy =
  match Domain.DLS.get latest with
  | Some found when found.of_policy == policy -> found
  | Some _ | None ->
      let found =
        {
          of_policy = policy;
          set_to = assignments policy;
          intervals = Hashtbl.create 16;
        }
      in
      Domain.DLS.set latest (Some found);
      found

let assigned policy attribute = (found policy).set_to.(attribute.id)

let never_set policy attribute =
  (not attribute.system) && (not attribute.is_lazy)
  && assigned policy attribute = []

(* Bounds too are numbers of 63 bits: what may not fit is not known. *)
let enough = 1 lsl 60
let fits = function Some i when abs i >= enough -> None | i -> i
let times a b = if a <> 0 && abs b > enough / abs a then None else Some (a * b)

let sum a b =
  {
    least = fits (both ( + ) a.least b.least);
    most = fits (both ( + ) a.most b.most);
  }

let opposite a =
  { least = Option.map Int.neg a.most; most = Option.map Int.neg a.least }

let product a b =
  match (a, b) with
  | { least = Some al; most = Some am }, { least = Some bl; most = Some bm } ->
      let corners = [ times al bl; times al bm; times am bl; times am bm ] in
      let all pick =
        List.fold_left (both pick) (List.hd corners) (List.tl corners)
      in
      { least = all min; most = all max }
  | { least = Some al; _ }, { least = Some bl; _ } when al >= 0 && bl >= 0 ->
      { least = times al bl; most = None }
  | _ -> unbounded

(* Of the divisors of one sign those nearest to 0 and farthest from it give the
   extremes; a divisor of 0 gives 0. *)
let rec quotient a b =
  match (b.least, b.most) with
  | Some l, _ when l >= 1 ->
      let toward_0 i = match b.most with Some m -> i / m | None -> 0 in
      let least i = if i < 0 then i / l else toward_0 i
      and most i = if i > 0 then i / l else toward_0 i in
      { least = Option.map least a.least; most = Option.map most a.most }
  | _, Some m when m <= -1 -> opposite (quotient a (opposite b))
  | _ ->
      let by_positive =
        match b.most with
        | Some m when m < 1 -> exactly 0
        | Some _ | None -> quotient a { b with least = Some 1 }
      and by_negative =
        match b.least with
        | Some l when l > -1 -> exactly 0
        | Some _ | None -> quotient a { b with most = Some (-1) }
      in
      hull (exactly 0) (hull by_positive by_negative)

(* Nearer to 0 than the divisor, unless that may be 0, and no farther from it than
   the dividend. *)
let remainder a b =
  let below_divisor =
    match (b.least, b.most) with
    | Some l, Some m when l > 0 || m < 0 -> Some (max (abs l) (abs m) - 1)
    | _ -> None
  in
  let nearer i = match below_divisor with Some top -> min i top | None -> i in
  let most =
    match a.most with
    | Some m -> Some (nearer (max 0 m))
    | None -> below_divisor
  and least =
    match a.least with
    | Some l -> Some (-nearer (max 0 (-l)))
    | None -> Option.map Int.neg below_divisor
  in
  { least; most }

(* Attributes made of each other are looked at again on every way from one to
   another, of which there may be exponentially many. *)
type search = { set_to : expression list array; mutable fuel : int }

exception Exhausted

let most_looks = 2_000

module Ids = Set.Make (Int)

(* [a = a + n], of whatever owner: it leaves one bound where it is, since all
   values of the attribute keep to that. *)
let by_itself attribute e =
  match e.it with
  | Operation (Add, { it = Read (_, a); _ }, { it = Int_value n; _ })
    when a.id = attribute.id ->
      Some n
  | Operation (Sub, { it = Read (_, a); _ }, { it = Int_value n; _ })
    when a.id = attribute.id ->
      Some (-n)
  | _ -> None

let widened b n =
  if n > 0 then { b with most = None }
  else if n < 0 then { b with least = None }
  else b

let rec attribute_bounds search visited attribute =
  if Ids.mem attribute.id visited || attribute.ty <> Int then unbounded
  else
    let visited = Ids.add attribute.id visited in
    let value e = expression search visited e in
    match attribute.initial with
    | _ when attribute.system -> unbounded
    | None when attribute.is_lazy -> unbounded
    | Some e when attribute.is_lazy -> value e
    | initial ->
        let first =
          match initial with Some e -> value e | None -> exactly 0
        in
        List.fold_left
          (fun b e ->
            match by_itself attribute e with
            | Some n -> widened b n
            | None -> hull b (value e))
          first
          search.set_to.(attribute.id)

and expression search visited e =
  search.fuel <- search.fuel - 1;
  if search.fuel < 0 then raise Exhausted;
  let value = expression search visited in
  match e.it with
  | Int_value i -> exactly i
  | Read (_, a) -> attribute_bounds search visited a
  | Runnable _ | Count _ -> { least = Some 0; most = None }
  | Minus e -> opposite (value e)
  | If_else (_, a, b) -> hull (value a) (value b)
  | Operation (Add, a, b) -> sum (value a) (value b)
  | Operation (Sub, a, b) -> sum (value a) (opposite (value b))
  | Operation (Mul, a, b) -> product (value a) (value b)
  | Operation (Div, a, b) -> quotient (value a) (value b)
  | Operation (Mod, a, b) -> remainder (value a) (value b)
  | Call (f, _) -> result search visited f
  | _ -> unbounded

(* What a function returns, whatever its arguments: parameters are unbounded. *)
and result search visited f =
  let returned =
    List.filter_map
      (fun s ->
        match s.what with
        | Return (Some e) -> Some (expression search visited e)
        | _ -> None)
      (statements_of f.func_body)
  in
  match returned with
  | [] -> unbounded
  | b :: rest -> List.fold_left hull b rest

let bounds policy attribute =
  let found = found policy in
  match Hashtbl.find_opt found.intervals attribute.id with
  | Some bounds -> bounds
  | None ->
      let search = { set_to = found.set_to; fuel = most_looks } in
      let bounds =
        try attribute_bounds search Ids.empty attribute
        with Exhausted -> unbounded
      in
      Hashtbl.replace found.intervals attribute.id bounds;
      bounds

(* The word of a core is a sum of loads: of a million threads at least it must
   fit, or it says nothing. *)
let heaviest = 1 lsl 40

let of_policy policy =
  match Query.load policy with
  | None -> Each 1
  | Some load -> (
      let fits l = l >= 1 && l <= heaviest in
      match bounds policy load with
      | { least = Some l; most = Some m } when l = m && fits l -> Each l
      | { least = Some l; most } when fits l ->
          Between
            {
              least = l;
              most = Option.bind most (fun m -> if fits m then Some m else None);
            }
      | _ -> Anything)
