(** The layout of a state.

    A state is one [int array]. The offsets follow from the policy, the topology
    and the number of threads; the frames of running handlers come last. All
    functions here are plain accessors, O(1) unless said otherwise; none blocks.
    A state belongs to one domain. *)

type state = int array

type t = {
  policy : Core.policy;
  topology : Topology.t;
  threads : int;
  states : int;  (** the number of states of the policy *)
  attribute : int array;  (** by id: the offset within the words of the owner *)
  globals : int;
  groups : int;
  group_stride : int;
  domains : int;
  domain_stride : int;
  cores : int;
  core_stride : int;
  first_thread : int;
  thread_stride : int;
  fixed : int;  (** the size without frames: the offset of the first frame *)
  members : members;
}

and members = {
  bits : Bits.t;  (** the universe of the sets of this machine *)
  all_cores : Bits.set;
  group_cores : Bits.set array;  (** by number of the group *)
  domain_cores : Bits.set array;  (** by number of the domain *)
  domain_groups : Bits.set array;
  core_domains : Bits.set array;  (** by number of the core *)
}
(** The sets of the topology, as words. *)

val make : Core.policy -> Topology.t -> threads:int -> t

(** {1 Ghosts, and words for users of the machine} *)

val blocked : int
(** B, a set of cores. B and U are kept on machines of at most {!Bits.one_word}
    cores, and are empty on larger machines. *)

val unblocked : int
(** U, a set of cores. *)

val placed : int
(** The core chosen by the [new] or [unblock] in frame 0 for its thread, + 1. *)

val budget : int
(** The remaining events of the environment, for the explorer. *)

val scratch : int
(** The owner of the lazy attribute that is being computed; else 0. *)

val fits : int
(** The cores on which the thread of the tested [new] or [unblock] may run: a
    set like B and U, kept if the policy has an affinity. For the explorer. *)

val draw : int
(** The choice for the next step that draws: the number of the way, from 0 on; a
    number that is too large stands for the last way. The caller of a step sets
    it. *)

val mark : t -> state -> int -> int -> unit
(** [mark l s ghost c] adds the core to B, U or {!fits}. *)

val marked : t -> state -> int -> int -> bool

(** {1 A core's words} *)

val lock : t -> int -> int
(** The frame that holds the lock, or 0. *)

val asleep : t -> int -> int
(** 1 from the core's [enter_idle] to its [exit_idle]. The caller of these
    events sets the word; no handler looks at the word. *)

val cload : t -> int -> int
val count : t -> int -> int

val count_in : t -> int -> int -> int
(** Arguments: core, state. *)

val head : t -> int -> int -> int
(** Arguments: core, state. The first thread of the queue or slot, + 1. *)

(** {1 A thread's words} *)

val where : t -> int -> int
(** The place of the thread: see {!place}. *)

val next : t -> int -> int
(** The next thread in the queue, + 1. *)

(** {1 Places}

    - 0: in no state yet;
    - [place core state]: in this state of this core;
    - -1: being woken up;
    - [flight p]: on the way to the place [p].

    Threads in states without a data structure are at core 0. *)

val nowhere : int
val waking : int
val place : t -> int -> int -> int
val flight : int -> int

val destination : int -> int
(** The place to which a flight leads. *)

val core_of : t -> int -> int
val state_of : t -> int -> int

val in_structure : t -> int -> bool
(** True for a place in a queue or slot. *)

(** {1 Attributes} *)

val owner_base : t -> Core.owner -> int -> int

val word : t -> Core.attribute -> int -> int
(** The offset of the attribute for the owner with this number (any number for a
    global). *)
