(** The facts that are known on one path of a symbolic execution, and the data
    that all paths share.

    {!Symbolic} re-exports most of this module; {!Loops} and {!Sets} use it too.
    Adding or finding a fact takes logarithmic time in the facts of the path,
    and spends {!Effort}. *)

open Dromos_policy_core
open Core
open Types
module Ints : Map.S with type key = int and type 'a t = 'a ints

exception Too_many_paths

val most_steps : int
val create : run:run -> setting -> t
val on_move : t -> (path -> move -> unit) -> unit
val start : path

(** {1 Facts} *)

val conditions : path -> Term.t list
val fact_count : path -> int
val branches : path -> Term.t list
val bounds : path -> Term.t list
val of_role : Term.t -> path -> Term.t list
val moves : path -> move list
val steals : path -> steal_call list
val unclear : path -> string option
val holds : path -> Term.t -> bool

val assume : path -> Term.t -> path option
(** Takes the branch on which the term is true. None if the path knows the
    contrary. Facts from roles are ignored here: so the paths, and the names on
    them, do not depend on the roles of the cores. *)

val assume_all : path -> Term.t list -> path option
val know_of : origin -> path -> Term.t list -> path

val know : path -> Term.t list -> path
(** Adds facts about values. A fact that contradicts the path is added too, and
    the prover then finds the path impossible. *)

(** {1 Values} *)

val bind : path -> local -> Term.t -> path
val bind_value : path -> local -> value -> path

val fresh : ?base:string -> ?kind:Term.kind -> t -> string -> ty -> Term.t
(** A fresh variable. [base]: the name to print, by default the name itself.
    [kind]: by default [Value], or [Name] if the type is one of names; for
    witnesses. *)

val fresh_attribute : t -> Term.t -> attribute -> Term.t
(** A fresh value: one read of the attribute of the owner. *)

val fresh_symbol : t -> string -> int -> Term.sort -> Term.symbol

val unknown : ?kind:Term.kind -> t -> path -> ty -> string -> path * Term.t
(** A fresh value of the type, about which only the range of the type is known.
*)

val attribute_facts : t -> attribute -> Term.t -> Term.t list
(** The facts that hold of every value of the attribute. *)

val read_facts : t -> Term.t -> attribute -> Term.t -> Term.t list
(** [read_facts t owner a v]: the facts of [attribute_facts]; and if the owner
    is none, [v] is the initial value. *)

val attribute : t -> path -> Term.t -> attribute -> path * Term.t

val standing : Term.t -> attribute -> Term.t
(** An unchanging attribute of the system: each read of one owner gives the same
    term. *)

val literal : expression -> Term.t option

val global : t -> path -> attribute -> path * Term.t
(** The initial value, if no statement sets the attribute; else a fresh value at
    each read. *)

(** {1 Observations} *)

type word = [ `Cload | `Count | `State of state ]

val locked_words : Term.t -> word -> Term.t

val state_facts : policy -> Term.t -> Term.t list
(** Facts about the words of the runnable states of a core whose lock is held:
    no word is negative, and the word of a queue is 0 if no thread enters the
    queue. *)

val ready_word : t -> path -> Term.t -> state -> Term.t option
(** The word of a READY state of a core whose lock is held. None if the word is
    not known. *)

val words_after_moves :
  t -> before:path -> path -> ((state -> Term.t option) -> Term.t list) -> path
(** To call after moves of ready threads of the core among its READY states;
    [before] is the path before these moves. The states get new words with the
    old sum; the function gives further facts about the new words. Sets [words]
    to [Unknown] unless the setting says that moved threads are ready on the
    core. *)

val observe : t -> path -> Term.t -> word -> path * Term.t
(** An observation. If the core's lock is held, the value is exact. Else the
    value is fresh, with the facts that follow from the role of the core. *)

val before_or_equal : Term.t list -> Term.t list -> Term.t
(** The lexicographic order of two lists of key values, as far as both lists go.
*)
