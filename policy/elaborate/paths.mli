(** The places of threads, on every path of a handler.

    The code is run on partial knowledge: whether the thread of the event was
    moved, and to which state; whether the slot was filled; which queues of the
    core are empty or not; which threads and cores the variables hold. Paths
    with equal knowledge are merged. Functions are entered, since no function
    calls itself. Loops are run until the knowledge no longer changes. *)

open Dromos_policy_core
open Dromos_policy_syntax

type value =
  | Target  (** the thread of the event, or the offered thread *)
  | Picked of int  (** the first thread of this READY state, or none *)
  | Chosen of int  (** a thread of this READY state *)
  | Unsure  (** any thread, or none *)
  | Nobody
  | Other  (** a different thread, or a core but not none *)
  | Maybe  (** a core, or none *)
  | Own  (** the core of the handler *)
  | Destination

type known = {
  moved : (int * int) option;
      (** the target's new state, and the line of the move *)
  filled : bool;  (** this handler has filled the slot *)
  empty : int list;  (** the empty queues of the own core, sorted *)
  full : int list;
  holds : (int * value) list;  (** by local, sorted *)
  set : (int * int) list;
      (** attributes with a core for a value, not none: the number of the owner,
          and the attribute *)
}

type rules = {
  destination : Core.local option;
  offered : Core.local option;
  observes_after : bool;
      (** the code may observe other cores after the move: false for [new] and
          [unblock] *)
  running : value;  (** the value of the slot of the own core *)
  judge : known -> Core.statement -> value -> value -> Core.state -> known list;
      (** judges a move: the thread, the core and the state *)
  report : Fault.t -> unit;
  budget : int ref;
      (** the number of statements that may still be run, a bound on the time *)
}

val touch : known -> int -> known
(** Forgets a queue after a possible change: nothing is known of the queue any
    more, nor of threads chosen from the queue. *)

val arrives : known -> Core.state -> known
(** A thread entered this READY state of the own core. The state is not empty
    now, and a state of one thread may have displaced the old thread. *)

val run : rules -> Core.block -> (known * Core.place option) list
(** The knowledge at the end of each path, with the place of the [return] that
    ends the path, if any. *)
