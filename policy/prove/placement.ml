(* The core that ends idle and the chosen core have names from the start, so
   that loops of the handler are instantiated at both. *)

open Dromos_policy_core
open Core

let idle = Balancing.core "idle"
let chosen = Balancing.core "chosen"
let target = Balancing.core "target"

(* Continues on the paths on which no `exempt` condition of this event
   holds. *)
let exempted t p policy (handler : handler) k =
  let conditions =
    List.filter_map
      (function
        | Exempt { event; condition; _ } when event = handler.event ->
            Some condition
        | Exempt _ | Exempt_waiting _ | Within _ -> None)
      policy.relaxations
  in
  let rec all p = function
    | [] -> k p
    | condition :: rest ->
        Symbolic.evaluate t p condition (fun p holds ->
            Option.iter
              (fun p -> all p rest)
              (Symbolic.assume p (Term.not_ holds)))
  in
  all p conditions

let case p (move : Types.move) =
  Obligation.case ~roles:[ idle; chosen ]
    (Symbolic.know p [ Term.eq move.to_core chosen ])
    Term.false_
    "the thread is put on the core named chosen, which has one already, while \
     the core named idle has none"

let obligations policy (handler : handler) =
  let t, p =
    Balancing.begin_with
      (Balancing.setting policy ~target ~instances:[ idle; chosen ]
         [
           Balancing.role idle (Some Idle);
           Balancing.role chosen (Some Never_without);
         ])
  in
  let cases = ref [] in
  Symbolic.on_move t (fun p move ->
      cases := (move.move_place, case p move) :: !cases);
  let lost = ref None in
  Balancing.may_run t p policy ~thread:target ~core:idle (fun p fits ->
      exempted t (Symbolic.know p [ fits ]) policy handler (fun p ->
          Symbolic.execute t p handler.handler_body (fun p _ ->
              if Symbolic.unclear p <> None then lost := Symbolic.unclear p)));
  let cases = List.rev !cases in
  let places = List.sort_uniq compare (List.map fst cases) in
  let event = Query.event_name handler.event in
  let about = "the core chosen has no thread yet, or no core is idle" in
  let name place =
    let line = Printf.sprintf "%s_line_%d" event place.line in
    if List.exists (fun p -> p.line = place.line && p <> place) places then
      Printf.sprintf "%s_column_%d" line (place.column + 1)
    else line
  in
  let at place =
    {
      Obligation.name = name place;
      about;
      place;
      cases =
        List.filter_map
          (fun (at, case) -> if at = place then Some case else None)
          cases;
    }
  in
  match !lost with
  | Some why ->
      [ Obligation.fails ~name:event ~about handler.handler_place why ]
  | None -> List.map at places
