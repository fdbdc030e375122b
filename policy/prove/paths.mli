(** What is known on one path of a symbolic execution, and what every path
    shares.

    For {!Symbolic}, which shows most of it on, {!Loops} and {!Sets}. A path is
    immutable; only the fresh names are counted, in [t]. A fact is added and
    found in the logarithm of what the path knows, and spends {!Effort}. *)

open Dromos_policy_core
open Core

(** {1 What is looked at}

    The types that {!Symbolic} explains. *)

type role = Idle | Busy of int | Never_without
type core_facts = { core : Term.t; role : role option; locked : bool }

type setting = {
  policy : policy;
  loads : Loads.t;
  cores : core_facts list;
  instances : Term.t list;
  target : Term.t option;
  target_runs : bool;
  self : Term.t;
  filtered : Term.symbol option;
  moves_ready : bool;
}

type move = {
  moved : Term.t;
  to_core : Term.t;
  to_state : state;
  move_place : place;
}

type steal_call = { for_group : Term.t option; for_core : Term.t }

(** {1 Paths} *)

module Ints : Map.S with type key = int

(** What the READY states of the locked core hold: as when the handler began;
    since ready threads were moved among them, by id of the state; anything. *)
type words = As_they_were | Since_moves of (int * Term.t) list | Unknown

(** Why something is known: the path went this way; it holds of the value
    whatever the path; it follows from the role of this core. *)
type origin = Branch | Bound | Of_role of Term.t

type set = {
  member : Term.t -> Term.t;
  inhabited : Term.t;  (** then it has a member *)
  vacant : Term.t;  (** then it has none *)
  stands_in : (Term.t * state) option;  (** the core and state of a queue *)
  instances_of : path -> Term.t list * Term.t list;
}
(** A collection: which elements are its members, and those at which what holds
    for all is looked at, with what is known of them. *)

and value = One of Term.t | Many of set

and path = {
  facts : (origin * Term.t) list;  (** newest first *)
  known : (origin * Term.t) list Ints.t;
      (** the same, by the hash of the term *)
  locals : value Ints.t;
  attributes : ((Term.t * int) * Term.t) list;
      (** by owner and id; what was read or set *)
  move_log : move list;
  words : words;
  steal_log : steal_call list;
  why_unclear : string option;
}

type outcome = Normal | Break_out | Returned of Term.t option

exception Too_many_paths

type t = {
  setting : setting;
  names : (string, int) Hashtbl.t;
  mutable steps : int;
  mutable watched_members : bool;  (** at [idle_cores], [active_cores] *)
  mutable looking_ahead : bool;  (** loops are tried before they are run *)
  mutable moved_hook : path -> move -> unit;
  stand_still : int list;
      (** attributes, by id: what the system says of where threads may run,
          which does not change while handlers are at work *)
  never_entered : int list;
      (** states, by id: queues that are always empty ([Query.entered]) *)
  run : run;
}

and run = {
  exec : t -> path -> block -> (path -> outcome -> unit) -> unit;
  keys :
    t -> path -> key list -> Term.t -> (path -> Term.t list -> unit) -> unit;
}
(** The executor of statements and of the keys of orders, for loops. *)

val most_steps : int
val create : run:run -> setting -> t
val on_move : t -> (path -> move -> unit) -> unit
val start : path

(** {1 What is known} *)

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
(** Goes this way; None if the path knows the contrary, other than from roles:
    so the paths and the names on them are the same whatever is supposed of
    cores. *)

val assume_all : path -> Term.t list -> path option
val know_of : origin -> path -> Term.t list -> path

val know : path -> Term.t list -> path
(** Of a value. Kept even where it contradicts: the prover sees that the path is
    impossible. *)

(** {1 Values} *)

val bind : path -> local -> Term.t -> path
val bind_value : path -> local -> value -> path

val fresh : ?base:string -> ?kind:Term.kind -> t -> string -> ty -> Term.t
(** [base], the name if not said, and [kind], [Value] if not said and not a name
    by its type: for witnesses *)

val fresh_attribute : t -> Term.t -> attribute -> Term.t
(** one look at that attribute of the owner *)

val fresh_symbol : t -> string -> int -> Term.sort -> Term.symbol

val unknown : ?kind:Term.kind -> t -> path -> ty -> string -> path * Term.t
(** Any value of the type. *)

val attribute_facts : t -> attribute -> Term.t -> Term.t list
(** What holds of a value of it. *)

val read_facts : t -> Term.t -> attribute -> Term.t -> Term.t list
(** [read_facts t owner a v]: besides, of none it is what it begins with. *)

val attribute : t -> path -> Term.t -> attribute -> path * Term.t

val standing : Term.t -> attribute -> Term.t
(** Of what the system says, and what stands still: one value for each owner. *)

val literal : expression -> Term.t option

val global : t -> path -> attribute -> path * Term.t
(** What it begins with, if nobody sets it; else any value, at each read. *)

(** {1 Observations} *)

type word = [ `Cload | `Count | `State of state ]

val locked_words : Term.t -> word -> Term.t

val state_facts : policy -> Term.t -> Term.t list
(** Of the words of the runnable states of a core whose lock is held: none is
    negative, and those of queues that nobody enters are 0. *)

val ready_word : t -> path -> Term.t -> state -> Term.t option
(** The word of a READY state of a core whose lock is held; None where nothing
    is known of it. *)

val words_after_moves :
  t -> before:path -> path -> ((state -> Term.t option) -> Term.t list) -> path
(** Ready threads of the core were moved among its READY states since [before]:
    the states have new words, of which the sum is the old sum, and of which the
    function tells more. Unknown where the setting does not say that what is
    moved is ready there. *)

val observe : t -> path -> Term.t -> word -> path * Term.t
(** One look: exact if the core's lock is held, else a value of its own, of
    which is known what follows from the role the core would have. *)

val before_or_equal : Term.t list -> Term.t list -> Term.t
(** Of the values of keys, as far as both lists go. *)
