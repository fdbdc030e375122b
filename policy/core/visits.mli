(** Visits of the whole text of a policy. *)

open Core

val expression : (expression -> unit) -> expression -> unit
(** The expression and all its parts; functions are not entered. *)

val block :
  statement:(what -> unit) -> expression:(expression -> unit) -> block -> unit
(** All statements and expressions of the block. Called functions are entered,
    each once. *)

val policy :
  statement:(what -> unit) -> expression:(expression -> unit) -> policy -> unit
(** Handlers, filters, selections and migrations, lazy attributes, and all
    functions called there. The interface and the relaxations are not visited.
*)

val uses_topology : ?also:block list -> policy -> bool
(** True if the policy, or one of these blocks, looks at groups or domains of
    cores, or at attributes with groups or domains. *)

val draws : policy -> bool
(** True if the policy draws a member with [any]. *)

val exists :
  ?statement:(what -> bool) -> ?expression:(expression -> bool) -> block -> bool
(** True if the condition holds for a statement or an expression visited by
    {!block}. *)

val steals : block -> bool
(** True if the block steals, also in called functions. *)

val moves : block -> bool
(** True if the block moves threads, also in called functions. *)

val functions : block -> func list
(** The called functions, each once, after the functions that it calls itself.
*)
