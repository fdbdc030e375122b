(** What the text of a block says, without following its paths. Some functions
    also look into the functions that the block calls. *)

open Dromos_policy_core.Core

val assigned_locals : block -> local list
(** The locals that the block itself sets; the locals of called functions are
    not in the list. *)

val temporaries : block -> local list
(** Locals that a statement of the block itself sets before anything reads them.
    Their values before the block do not matter. *)

val returned : block -> expression list
(** The values that the block itself returns. *)

val mentioned : expression -> int list
(** The numbers of the locals in the expression. *)

val acts : expression -> bool
(** True if a function that the expression calls sets attributes, moves threads
    or steals. *)

val moves : block -> bool
val sets : block -> attribute list
