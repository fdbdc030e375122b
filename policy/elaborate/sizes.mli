(** Limits the length of handlers with their functions written out, and the
    depth of expressions.

    No function calls itself. But if each function calls the next one twice, the
    whole grows beyond what can be proved, searched or compiled, since the
    prover and the machine follow every call. O(size of the policy). *)

open Dromos_policy_core
open Dromos_policy_syntax

val most : int
(** The most statements: 4,000. *)

val deepest : int
(** The most operators inside one another: 5,000, the depth of a chain of 5,000
    [&&]. The time to compile an expression grows with the square of its depth.
*)

val check : Core.policy -> Fault.t list
