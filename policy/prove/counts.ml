(* The counts are found from the intervals of attributes and the numbers that
   the policy compares the attributes with. *)

open Dromos_policy_core
open Core

type t = {
  counter : attribute;
  counted : Term.t -> Term.t -> Term.t;
  in_a_row : int;
}

(* {1 Handlers that set an attribute} *)

let blocks policy =
  List.map (fun h -> (Some h.event, h.handler_body)) (Query.reactions policy)
  @ Option.fold ~none:[]
      ~some:(fun s -> [ (None, s.by_core.take) ])
      policy.steal

let sets block (a : attribute) =
  List.exists (fun (b : attribute) -> a.id = b.id) (Blocks.sets block)

let set_only_in policy events a =
  List.for_all
    (fun (event, block) ->
      (match event with Some e -> List.mem e events | None -> false)
      || not (sets block a))
    (blocks policy)

(* The numbers compared with the attribute, and their neighbours, in rising
   order. *)
let limits policy (a : attribute) =
  let found = ref [] in
  let side x y =
    match (x.it, y.it) with
    | Read (_, b), Int_value n when a.id = b.id -> found := n :: !found
    | _ -> ()
  in
  Visits.policy ~statement:ignore
    ~expression:(fun e ->
      match e.it with
      | Operation ((Eq | Ne | Lt | Le | Gt | Ge), x, y) ->
          side x y;
          side y x
      | _ -> ())
    policy;
  List.concat_map (fun n -> [ n - 2; n - 1; n; n + 1; n + 2 ]) !found
  |> List.sort_uniq Int.compare

(* {1 Kinds} *)

let up (a : attribute) least limit =
  {
    counter = a;
    counted =
      (fun before after ->
        Term.and_ [ Term.le before (Term.int limit); Term.lt before after ]);
    in_a_row = limit - least + 1;
  }

let down (a : attribute) most limit =
  {
    counter = a;
    counted =
      (fun before after ->
        Term.and_ [ Term.le (Term.int limit) before; Term.lt after before ]);
    in_a_row = most - limit + 1;
  }

(* The integer crosses the limit. *)
let crosses (a : attribute) limit ~upwards =
  let below v = Term.lt v (Term.int limit) in
  {
    counter = a;
    counted =
      (fun before after ->
        let from, to_ = if upwards then (before, after) else (after, before) in
        Term.and_ [ below from; Term.not_ (below to_) ]);
    in_a_row = 1;
  }

let flips (a : attribute) towards =
  let is v = if towards then v else Term.not_ v in
  {
    counter = a;
    counted =
      (fun before after -> Term.and_ [ Term.not_ (is before); is after ]);
    in_a_row = 1;
  }

(* Counts with the fewest in a row come first. *)
let all policy ~owner ~set_in =
  let of_attribute (a : attribute) =
    if a.owner <> owner || a.system || a.is_lazy then []
    else if not (set_only_in policy set_in a) then []
    else
      match a.ty with
      | Bool -> [ flips a true; flips a false ]
      | Int ->
          let { Loads.least; most } = Loads.bounds policy a in
          let limits = limits policy a in
          let of_ bound make =
            match bound with
            | None -> []
            | Some bound -> List.map (make a bound) limits
          in
          let crossing upwards = List.map (crosses a ~upwards) limits in
          crossing true @ crossing false @ of_ least up @ of_ most down
      | _ -> []
  in
  List.concat_map of_attribute (Array.to_list policy.attributes)
  |> List.filter (fun c -> c.in_a_row > 0)
  |> List.stable_sort (fun a b -> Int.compare a.in_a_row b.in_a_row)

(* {1 On a path} *)

let value t p owner = function
  | None -> (p, None)
  | Some c ->
      let p, v = Symbolic.attribute t p owner c.counter in
      (p, Some v)

let counted count ~before ~after =
  match (count, before, after) with
  | Some c, Some before, Some after -> c.counted before after
  | _ -> Term.false_
