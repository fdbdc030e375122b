(** Where the threads are, on every path of a handler.

    Code is run on what is known: whether the thread of the event was moved, and
    where to; whether the slot was filled; which queues of the core are empty or
    not; which threads and cores the variables hold. Paths that know the same
    are one. Functions are entered, since none calls itself; loops are run until
    nothing new is known. *)

open Dromos_policy_core
open Dromos_policy_syntax

type value =
  | Target  (** the thread of the event, or the one offered *)
  | Picked of int  (** the first of this READY state, or none *)
  | Chosen of int  (** one of this READY state *)
  | Unsure  (** a thread, or none *)
  | Nobody
  | Other  (** another thread, or core *)
  | Maybe  (** a core, or none *)
  | Own  (** the core of the handler *)
  | Destination

type known = {
  moved : (int * int) option;  (** the state it went to, on which line *)
  filled : bool;  (** the slot, by this handler *)
  empty : int list;  (** queues of the own core, sorted *)
  full : int list;
  holds : (int * value) list;  (** by local, sorted *)
  set : (int * int) list;
      (** attributes that hold a core, not none: whose, and which *)
}

type rules = {
  destination : Core.local option;
  offered : Core.local option;
  observes_after : bool;  (** [new] and [unblock] may not: false *)
  running : value;  (** what is read of the slot of the own core *)
  judge : known -> Core.statement -> value -> value -> Core.state -> known list;
      (** the thread, the core and the state of a move *)
  report : Fault.t -> unit;
  budget : int ref;  (** statements that may be run: time is bounded *)
}

val touch : known -> int -> known
(** The queue of that number may hold other threads now: nothing is known of the
    queue any more, nor of threads that were chosen from the queue. *)

val arrives : known -> Core.state -> known
(** A thread entered this READY state of the own core: the state is not empty,
    and a state of one thread may have displaced another thread. *)

val run : rules -> Core.block -> (known * Core.place option) list
(** What may be known at the end, and where, if a [return] ends it. *)
