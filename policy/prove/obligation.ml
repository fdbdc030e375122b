(* Data only. *)

open Dromos_policy_core.Core

type case = { given : Term.t list; shown : Term.t; consequence : string }
type t = { name : string; about : string; place : place; cases : case list }

let counterexample case = case.given @ [ Term.not_ case.shown ]

let fails ~name ~about place consequence =
  {
    name;
    about;
    place;
    cases = [ { given = []; shown = Term.false_; consequence } ];
  }
