(** Symbolic execution of expressions, handlers and the phases of a steal: all
    paths, quantifier-free.

    {b Observations.} Each read of another core is a value of its own, at its
    own time. What is known of it follows from the role that the core has at the
    end of the event, by the monotonicity of the words
    (policy/theories/state.mlw): a core that ends idle, without B and in synch,
    had 0 in all its words at each look; one that ends with at least k threads
    and without U had words of at least k threads at each look.

    {b Loops} run over sets whose members are not known. One that is left by
    [return] or [break] was left at some member; one that fell through did so
    for every member, and that is used at the members that matter: the cores of
    [instances], the groups that hold them, and the largest domain. Locals that
    iterations change are unknown before the last of these. *)

open Dromos_policy_core
open Core

type role =
  | Idle  (** ends idle: each read gave 0 *)
  | Busy of int  (** ends with at least k threads, without U *)
  | Never_without
      (** has a thread all along, without U, and nobody steals: it is no member
          of [idle_cores] if [schedule] runs a thread wherever one is ready *)

type core_facts = {
  core : Term.t;
  role : role option;
  locked : bool;  (** its lock is held: its words are exact and stand still *)
}

type setting = {
  policy : policy;
  loads : Loads.t;
  cores : core_facts list;  (** the cores whose roles are known *)
  instances : Term.t list;
      (** the cores at which loops that fall through are looked at *)
  target : Term.t option;
  target_runs : bool;  (** on [self], whose lock is held: it is in no queue *)
  self : Term.t;
  filtered : Term.symbol option;
  moves_ready : bool;
      (** what is moved to a READY state of [self] stands in one of them: so it
          is in [schedule], until it moves a thread to the slot *)
}

type move = {
  moved : Term.t;
  to_core : Term.t;
  to_state : state;
  move_place : place;
}

(* [steal_for] *)
type steal_call = { for_group : Term.t option; for_core : Term.t }

type path
(** what is known where the execution stands *)

val conditions : path -> Term.t list
(** all of the three that follow *)

val fact_count : path -> int
(** of {!conditions}; linear *)

val branches : path -> Term.t list
(** what the path assumed where it could have gone another way *)

val bounds : path -> Term.t list
(** what holds of values whatever the path *)

val of_role : Term.t -> path -> Term.t list
(** what follows from the role of a core, for the looks at it *)

val moves : path -> move list
(** newest first *)

val steals : path -> steal_call list

val unclear : path -> string option
(** why the moves of this path cannot be counted *)

type outcome = Normal | Break_out | Returned of Term.t option

exception Too_many_paths

type t
(** one obligation's worth of fresh names *)

val create : setting -> t
val start : path
val fresh : ?base:string -> ?kind:Term.kind -> t -> string -> ty -> Term.t

val assume : path -> Term.t -> path option
(** None: impossible *)

val know : path -> Term.t list -> path
(** adds bounds *)

val bind : path -> local -> Term.t -> path

val attribute : t -> path -> Term.t -> attribute -> path * Term.t
(** of a thread that no other handler is changing *)

val locked_words : Term.t -> [ `Count | `Cload | `State of state ] -> Term.t
(** the exact word of a core whose lock is held *)

val state_facts : policy -> Term.t -> Term.t list
(** of the words of the runnable states of a core whose lock is held *)

val front : Term.t -> state -> Term.t
(** The thread in front of that queue of a core whose lock is held, before any
    is moved. *)

val evaluate : t -> path -> expression -> (path -> Term.t -> unit) -> unit
(** @raise Too_many_paths past a few thousand
    @raise Effort.Spent
    @raise Term.Too_large *)

val execute : t -> path -> block -> (path -> outcome -> unit) -> unit

val watched_members : t -> bool
(** some path looked at [idle_cores] or [active_cores] *)

val on_move : t -> (path -> move -> unit) -> unit
(** called where a thread is moved, with what was known before; not for moves
    after which a loop goes on, which make a path [unclear] *)
