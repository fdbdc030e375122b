(* Each sum is a fresh value, with facts about it from the members of the set.
   *)

open Dromos_policy_core
open Core
open Types
open Paths

type t = { total : local; summand : expression }

(* {1 Bodies that only add} *)

let number at i = { it = Int_value i; ty_of = Int; at }
let same_local (a : local) (b : local) = a.local_id = b.local_id

(* The summand of each local, in the order of the statements. *)
let rec added (block : block) =
  List.fold_left
    (fun found s ->
      match (found, one s) with
      | Some found, Some more -> Some (List.fold_left together found more)
      | _ -> None)
    (Some []) block

and one s =
  match s.what with
  | Set_local (l, { it = Operation (Add, { it = Local m; _ }, e); _ })
    when same_local l m ->
      Some [ { total = l; summand = e } ]
  | If (c, a, b) when not (Blocks.acts c) -> (
      match (added a, added b) with
      | Some yes, Some no ->
          let zero = number c.at 0 in
          let choice total a b =
            { total; summand = { zero with it = If_else (c, a, b) } }
          in
          let yes = List.map (fun x -> choice x.total x.summand zero) yes
          and no = List.map (fun x -> choice x.total zero x.summand) no in
          Some (List.fold_left together yes no)
      | _ -> None)
  | _ -> None

and together found x =
  match List.partition (fun y -> same_local x.total y.total) found with
  | [], others -> x :: others
  | y :: _, others ->
      let it = Operation (Add, y.summand, x.summand) in
      { x with summand = { x.summand with it } } :: others

let of_body policy body =
  let fixed sums x =
    let read = Blocks.mentioned x.summand in
    Loads.natural policy x.summand
    && (not (Blocks.acts x.summand))
    && not (List.exists (fun y -> List.mem y.total.local_id read) sums)
  in
  match added body with
  | Some (_ :: _ as sums) when List.for_all (fixed sums) sums -> Some sums
  | Some _ | None -> None

(* {1 Facts about a sum} *)

(* Each instance is counted once, though two instances may be equal. *)
let of_instances set instances values =
  let rec go earlier = function
    | (y, v) :: rest ->
        let others = List.map (fun z -> Term.not_ (Term.eq y z)) earlier in
        Term.ite (Term.and_ (set.member y :: others)) v (Term.int 0)
        :: go (y :: earlier) rest
    | [] -> []
  in
  Term.add (go [] (List.combine instances values))

let values t p ~(each : local) instances summand ~evaluate k =
  let rec go p values = function
    | [] -> k p (List.rev values)
    | y :: rest ->
        evaluate t (bind p each y) summand (fun p v -> go p (v :: values) rest)
  in
  go p [] instances

let one t p ~(each : local) set ~called { total; summand } ~evaluate k =
  let instances, facts = set.instances_of p in
  let p = know p facts in
  let p, before =
    match Ints.find_opt total.local_id p.locals with
    | Some (One v) -> (p, v)
    | Some (Many _) | None -> unknown t p Int total.local_name
  in
  let p, some = unknown t p each.local_ty each.local_name in
  values t p ~each (instances @ [ some ]) summand ~evaluate (fun p all ->
      let of_some, of_all =
        match List.rev all with
        | of_some :: rest -> (of_some, List.rev rest)
        | [] -> invalid_arg "Sums: no values"
      in
      let name =
        match called with
        | Some owner -> total.local_name ^ " of " ^ owner
        | None -> total.local_name
      in
      let sum = fresh t name Int in
      let p =
        know p
          [
            Term.le (of_instances set instances of_all) sum;
            Term.le (Term.int 0) sum;
            Term.implies
              (Term.lt (Term.int 0) sum)
              (Term.and_
                 [
                   Term.le (Term.int 0) some;
                   set.member some;
                   Term.lt (Term.int 0) of_some;
                 ]);
          ]
      in
      k (bind p total (Term.add [ before; sum ])))

let add t p ~each set ~called sums ~evaluate k =
  let rec go p = function
    | [] -> k { p with locals = Ints.remove each.local_id p.locals }
    | sum :: rest ->
        one t p ~each set ~called sum ~evaluate (fun p -> go p rest)
  in
  go p sums
