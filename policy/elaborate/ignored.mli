(** What the grammar lets through and no part of the program would look at.

    A policy says nothing in vain: what would be left out by checks, simulations
    or compiled hubs is a fault with its place here; what can have no effect (a
    structure that nothing has, a system's word that nobody gives) is a warning.
    doc/policy/constructs.md has one row for each. Linear; raises nothing. *)

open Dromos_policy_syntax

val check : Scope.t -> Ast.t -> unit
