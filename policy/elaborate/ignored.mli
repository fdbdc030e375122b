(** Reports the parts of a policy that the grammar accepts and the rest of the
    program would ignore.

    A part that checks, simulations or compiled hubs would leave out is a fault.
    A part without effect (a structure that is never used, an attribute that the
    system never gives) is a warning. doc/policy/constructs.md has one row for
    each part. Linear; raises nothing. *)

open Dromos_policy_syntax

val check : Scope.t -> Ast.t -> unit
