(** The records of a symbolic execution. Types only. {!Symbolic} explains the
    execution; {!Paths} has the functions on paths.

    A path is immutable. [t] is shared by all paths and mutable, and counts the
    fresh names. *)

open Dromos_policy_core
open Core

(** {1 The setting} *)

type role =
  | Idle  (** the core ends idle: each observation gave 0 *)
  | Busy of int  (** the core ends with at least k threads, without U *)
  | Never_without
      (** the core has a thread all along, without U: each observation gave at
          least 1 *)

type core_facts = {
  core : Term.t;
  role : role option;
  locked : bool;
      (** the core's lock is held: its words are exact and do not change *)
}

type setting = {
  policy : policy;
  loads : Loads.t;
  cores : core_facts list;  (** the cores whose roles are known *)
  instances : Term.t list;
      (** the cores at which facts about all members are instantiated *)
  target : Term.t option;
  target_runs : bool;
      (** the target runs on [self], whose lock is held, and so is in no queue
      *)
  self : Term.t;
  filtered : Term.symbol option;
  moves_ready : bool;
      (** a thread that is moved to a READY state of [self] stands in a READY
          state of [self] already. True for [schedule], until it moves a thread
          to the slot *)
}

type move = {
  moved : Term.t;
  to_core : Term.t;
  to_state : state;
  move_place : place;
}

type steal_call = { for_group : Term.t option; for_core : Term.t }
(** A call of [steal_for]. *)

(** {1 Paths} *)

type 'a ints = 'a Map.Make(Int).t
(** [Paths.Ints.t] *)

(** The threads in the READY states of the core whose lock is held: unchanged
    since the handler began; changed by moves of ready threads among these
    states, with the new word of each state by its id; or not known. *)
type words = As_they_were | Since_moves of (int * Term.t) list | Unknown

(** Why a fact is known: the path took this branch; the fact holds of the value
    on every path; or the fact follows from the role of this core. *)
type origin = Branch | Bound | Of_role of Term.t

type set = {
  member : Term.t -> Term.t;
  inhabited : Term.t;  (** true: the set has a member *)
  vacant : Term.t;  (** true: the set is empty *)
  stands_in : (Term.t * state) option;
      (** the core and the state, if the set is a queue *)
  instances_of : path -> Term.t list * Term.t list;
      (** the elements at which facts about all members are instantiated, with
          facts about these elements *)
}
(** A collection whose members are not listed. [member] is the condition of
    membership. *)

and value = One of Term.t | Many of set

and path = {
  facts : (origin * Term.t) list;  (** newest first *)
  known : (origin * Term.t) list ints;
      (** the same facts, by the hash of the term *)
  locals : value ints;
  attributes : ((Term.t * int) * Term.t) list;
      (** the values that were read or set, by owner and id *)
  move_log : move list;
  words : words;
  steal_log : steal_call list;
  why_unclear : string option;
}

type outcome = Normal | Break_out | Returned of Term.t option

type t = {
  setting : setting;
  names : (string, int) Hashtbl.t;
  mutable steps : int;
  mutable looking_ahead : bool;
      (** true while a loop is tried before it is run *)
  mutable moved_hook : path -> move -> unit;
  stand_still : int list;
      (** attributes, by id, that do not change while handlers are at work: the
          system's data about where threads may run *)
  never_entered : int list;
      (** READY states, by id, to which no statement moves a thread
          ([Query.entered]); their queues are always empty *)
  run : run;
}

and run = {
  exec : t -> path -> block -> (path -> outcome -> unit) -> unit;
  keys :
    t -> path -> key list -> Term.t -> (path -> Term.t list -> unit) -> unit;
}
(** The executors of statements and of the keys of orders. {!Loops} calls
    {!Symbolic} through this record. *)
