(** Visiting all of a policy's text. *)

open Core

val expression : (expression -> unit) -> expression -> unit
(** It and all in it; functions are not entered. *)

val block :
  statement:(what -> unit) -> expression:(expression -> unit) -> block -> unit
(** All statements and expressions in it; functions that it calls are entered,
    each once. *)

val policy :
  statement:(what -> unit) -> expression:(expression -> unit) -> policy -> unit
(** Handlers, functions, filters, selections and migrations, lazy attributes; no
    relaxations. *)

val uses_topology : ?also:block list -> policy -> bool
(** Whether the policy, or one of these blocks, looks at groups or domains of
    cores, or at attributes that hold such. *)

val draws : policy -> bool
(** Whether something is drawn by [any]. *)

val exists :
  ?statement:(what -> bool) -> ?expression:(expression -> bool) -> block -> bool
(** Whether the condition of statements holds of one, or that of expressions, of
    those that {!block} visits. *)

val steals : block -> bool
(** Whether it steals somewhere, in functions that it calls too. *)

val moves : block -> bool
(** Whether it moves threads, in functions that it calls too. *)

val functions : block -> func list
(** The functions that are called, by functions too: each once, after those that
    it calls itself. *)
