(** Symbolic execution of expressions, handlers and the phases of a steal. The
    execution follows all paths; the formulas have no quantifiers.

    {b Observations.} Each read of another core is a separate value, at a
    separate time. The known facts about the value follow from the role of the
    core at the end of the event, by the monotonicity of the words
    (policy/theories/state.mlw). doc/policy/semantics.md defines B (a block took
    a thread from the core), U (an unblock put a thread there) and {e in synch}
    (the words of the core agree with its threads). A core that ends idle,
    without B and in synch, had 0 in all its words at each observation. A core
    that ends with at least k threads and without U had words of at least k
    threads at each observation.

    {b Loops} run over sets whose members are not known. A loop left by [return]
    or [break] was left at some member. A loop that fell through executed the
    body for every member; the fact is used at the members that matter: the
    cores of [instances], the groups of these cores, and the largest domain.
    Locals changed by iterations have unknown values before the last iteration.
*)

open Dromos_policy_core
open Core
open Types

type path
(** The facts known at one point of the execution. *)

val conditions : path -> Term.t list
(** All facts: those of the next three functions. *)

val fact_count : path -> int
(** The length of {!conditions}. Linear time. *)

val branches : path -> Term.t list
(** The conditions that the path assumed at branches. *)

val bounds : path -> Term.t list
(** The facts that hold of values on every path. *)

val of_role : Term.t -> path -> Term.t list
(** The facts that follow from the role of the core, for observations of the
    core. *)

val moves : path -> move list
(** The moves of the path, newest first. *)

val steals : path -> steal_call list

val unclear : path -> string option
(** The reason why the moves of this path cannot be counted, or None. *)

exception Too_many_paths

type t
(** The fresh names of one obligation. *)

val create : setting -> t
val start : path
val fresh : ?base:string -> ?kind:Term.kind -> t -> string -> ty -> Term.t

val assume : path -> Term.t -> path option
(** None if the path knows the contrary. *)

val know : path -> Term.t list -> path
(** Adds facts that hold of values. *)

val bind : path -> local -> Term.t -> path

val attribute : t -> path -> Term.t -> attribute -> path * Term.t
(** The value of the attribute. No other handler may change the attributes of
    the owner. *)

val locked_words : Term.t -> [ `Count | `Cload | `State of state ] -> Term.t
(** The exact word of a core whose lock is held. *)

val state_facts : policy -> Term.t -> Term.t list
(** Facts about the words of the runnable states of a core whose lock is held.
*)

val front : Term.t -> state -> Term.t
(** The thread at the front of the queue of a core whose lock is held, before
    any thread is moved. *)

val evaluate : t -> path -> expression -> (path -> Term.t -> unit) -> unit
(** @raise Too_many_paths past [Paths.most_steps] statements
    @raise Effort.Spent
    @raise Term.Too_large *)

val execute : t -> path -> block -> (path -> outcome -> unit) -> unit

val on_move : t -> (path -> move -> unit) -> unit
(** Calls the function at each move of a thread, with the path before the move.
    The function is not called for moves in iterations after which a loop goes
    on; those moves are in the path's [moves], or make the path [unclear]. *)
