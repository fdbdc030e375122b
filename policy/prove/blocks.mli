(** What a block says, whatever its paths: called functions are looked into. *)

open Dromos_policy_core.Core

val assigned_locals : block -> local list
(** of the block itself; locals of called functions are theirs *)

val temporaries : block -> local list
(** Set by a statement of the block itself before anything reads them: what they
    were before does not matter. *)

val returned : block -> expression list
(** The values that the block itself returns. *)

val mentioned : expression -> int list
(** the locals in it, by number *)

val acts : expression -> bool
(** by the functions that it calls: sets, moves, steals *)

val moves : block -> bool
val sets : block -> attribute list
