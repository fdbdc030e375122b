(* Obligations are data; Decide asks the provers. *)

open Dromos_policy_core.Core

type case = {
  roles : (Term.t * Term.t) list;
  known : Term.t list;
  path : Term.t list;
  shown : Term.t;
  consequence : string;
}

type t = { name : string; about : string; place : place; cases : case list }

let case ~roles path shown consequence =
  Effort.spend (Symbolic.fact_count path);
  let of_core core =
    List.map (fun fact -> (core, fact)) (Symbolic.of_role core path)
  in
  {
    roles = List.concat_map of_core roles;
    known = Symbolic.bounds path;
    path = Symbolic.branches path;
    shown;
    consequence;
  }

let counterexample case =
  case.known @ List.map snd case.roles @ case.path @ [ Term.not_ case.shown ]

let fails ~name ~about place consequence =
  let case =
    { roles = []; known = []; path = []; shown = Term.false_; consequence }
  in
  { name; about; place; cases = [ case ] }
