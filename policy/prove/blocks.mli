(** Facts about the text of a block, without its paths. Some functions also look
    into the functions called by the block. *)

open Dromos_policy_core.Core

val assigned_locals : block -> local list
(** The locals set by the block itself; the locals of called functions are not
    in the list. *)

val temporaries : block -> local list
(** The locals set by a statement of the block itself before anything reads
    them. The values of these locals before the block do not matter. *)

val returned : block -> expression list
(** The values returned by the block itself. *)

val mentioned : expression -> int list
(** The numbers of the locals in the expression. *)

val acts : expression -> bool
(** True if a function that the expression calls sets attributes, moves threads
    or steals. *)

val moves : block -> bool
val sets : block -> attribute list
