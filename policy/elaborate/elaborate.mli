(** From a syntax tree to a policy that all back ends accept, or to all that is
    wrong with it.

    Checked are names, types, that every division is by a constant and no
    function calls itself, which states there are, what each handler may look at
    ({!Phases}) and where it leaves its thread ({!Moves}). After this a policy
    can still be wrong about work conservation, and about nothing else that
    doc/policy/reference.md calls checked. *)

open Dromos_policy_core
open Dromos_policy_syntax

type checked = { policy : Core.policy; warnings : Fault.t list }

val most : int
(** Faults reported for one policy: 20. *)

val policy : Ast.t -> (checked, Fault.t list) result
(** The faults by place, never none. Raises nothing. *)

val file : string -> (checked, string * Fault.t list) result
(** From a file, through {!Parse.file}; with the source, [""] if it could not be
    read. *)
