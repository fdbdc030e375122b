(** The partial knowledge with which {!Paths} runs a handler. *)

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

type t = {
  moved : (int * int) option;
      (** the target's new state, and the line of the move *)
  filled : bool;  (** this handler has filled the slot *)
  empty : int list;  (** the empty queues of the own core, sorted *)
  full : int list;
  holds : (int * value) list;  (** by local, sorted *)
  set : (int * int) list;
      (** attributes that the path has found to name a core, group or domain,
          not none: the owner, as a number, and the number of the attribute *)
}

type rules = {
  destination : Core.local option;
  offered : Core.local option;
  observes_after : bool;
      (** the code may observe other cores after the move: false for [new] and
          [unblock] *)
  running : value;  (** the value of the slot of the own core *)
  judge : t -> Core.statement -> value -> value -> Core.state -> t list;
      (** judges a move: the thread, the core and the state *)
  report : Fault.t -> unit;
  budget : int ref;
      (** the number of statements that may still be run, a bound on the time *)
}
