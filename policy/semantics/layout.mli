(** Where what stands in a state.

    A state is one [int array]. Offsets are fixed by the policy, the topology
    and the number of threads; the frames of running handlers come last. All
    here are plain accessors, O(1) but where said; none blocks, and a state is
    one domain's own. *)

type state = int array

type t = {
  policy : Core.policy;
  topology : Topology.t;
  threads : int;
  states : int;  (** of the policy *)
  attribute : int array;  (** by id: its offset within its owner *)
  globals : int;
  groups : int;
  group_stride : int;
  domains : int;
  domain_stride : int;
  cores : int;
  core_stride : int;
  first_thread : int;
  thread_stride : int;
  fixed : int;  (** size without frames: where the first frame starts *)
  members : members;
}

and members = {
  bits : Bits.t;  (** what holds the sets of this machine *)
  all_cores : Bits.set;
  group_cores : Bits.set array;  (** by number of the group *)
  domain_cores : Bits.set array;  (** by number of the domain *)
  domain_groups : Bits.set array;
  core_domains : Bits.set array;  (** by number of the core *)
}
(** The sets of the topology, as words. *)

val make : Core.policy -> Topology.t -> threads:int -> t

(** {1 Ghosts, and words for those who use the machine} *)

val blocked : int
(** B: a set of cores, as U is; kept on machines of {!Bits.one_word} cores at
    most, and empty on larger ones, which nobody searches. *)

val unblocked : int
(** U. *)

val placed : int
(** The core on which the [new] or [unblock] of frame 0 put its thread, + 1. *)

val budget : int
(** For the explorer. *)

val scratch : int
(** The owner of a lazy attribute that is being computed; else 0. *)

val fits : int
(** The cores on which the thread of the [new] or [unblock] under test may run:
    a set as B and U are, kept where the policy has an affinity. For the
    explorer. *)

val draw : int
(** Which of the ways of a step that draws is gone: its number from 0 on, or the
    last if there are fewer. For those who make steps. *)

val mark : t -> state -> int -> int -> unit
(** [mark l s ghost c]: the core becomes a member of B or U. *)

val marked : t -> state -> int -> int -> bool

(** {1 A core's words} *)

val lock : t -> int -> int
(** The frame that holds it, or 0. *)

val is_idle : t -> int -> int
(** 1 while it is a member of [idle_cores]. *)

val cload : t -> int -> int
val count : t -> int -> int

val count_in : t -> int -> int -> int
(** core, state *)

val head : t -> int -> int -> int
(** core, state: first thread of the queue or slot, + 1. *)

(** {1 A thread's words} *)

val where : t -> int -> int
(** See {!place}. *)

val next : t -> int -> int
(** What follows it in its queue, + 1. *)

(** {1 Places}

    0: in no state yet; [place core state]; -1: being woken up; [flight p]: on
    the way to the place [p]. Threads of states without a data structure are all
    said to be at core 0. *)

val nowhere : int
val waking : int
val place : t -> int -> int -> int
val flight : int -> int

val destination : int -> int
(** Of a flight. *)

val core_of : t -> int -> int
val state_of : t -> int -> int

val in_structure : t -> int -> bool
(** A place in a queue or slot. *)

(** {1 Attributes} *)

val owner_base : t -> Core.owner -> int -> int

val word : t -> Core.attribute -> int -> int
(** Offset of the attribute of the owner with this number (any, if global). *)
