(** The machine under compiled policies: workers are its cores, kernel tasks its
    threads. {!hub} makes a hub for the pool; the rest of the module is for
    generated code.

    The machine follows doc/policy/semantics.md. The words observed by other
    cores are raised before a thread enters a queue and lowered after a thread
    has left one. Words are written under the lock of their core and read
    without the lock. A worker holds one lock at a time.

    Workers come and go, and fibers are tied to workers. So the machine adds
    these rules:

    - A core without a worker is given no thread, and is not among {!cores}
      while another core has one. A thread placed on such a core, or left there
      when the last worker retired, becomes an {e orphan}. Any worker takes an
      orphan from time to time, and also when there is no other thread.
    - A task for one worker only ([submit_to]) is in the worker's inbox, which
      takes turns with the policy.
    - A fiber that waits for a task runs the task in its own place, if the task
      is the newest of its queue. For the policy the task has ended, by
      [terminate]. The rule does not apply where fibers set attributes of their
      own, since the task would set those of the fiber.
    - A task that waits for an ivar while its worker runs others (kernel tasks,
      not fibers) counts as blocked meanwhile.
    - A hub cannot stop a running fiber. [tick] comes when the fiber's quantum
      is over and the fiber comes back as preempted; [yield] comes after [tick]
      if the fiber still runs.
    - A fiber leaves the policy where its program says so ({!detach}), at its
      next wait or yield, by [on_detach]. The fiber comes back by [on_attach],
      like a task that no worker made.
    - A thread that waits at a core when its worker retires is taken away by
      [on_withdraw], and comes back by [on_attach] of a core that is served.
    - If the policy has no [yield], or [yield] leaves the fiber where it is, the
      machine blocks and unblocks the fiber.

    The policy is model-checked; this library is tested ([policy/test/runtime]):
    on random policies and events it does the same as the machine of
    policy/semantics. *)

module Hub = Dromos_hub.Hub

type 'ctx thread = 'ctx Hub.task
type 'ctx t

val none : 'ctx t -> 'ctx thread
val valid : 'ctx t -> 'ctx thread -> bool

(** {1 Words}

    Attributes are ints: an enumeration is the number of the member, a boolean
    is 0 or 1, a core is its number, and -1 is none. [k] counts the policy's own
    attributes from 0. *)

val thread_word : 'ctx thread -> int -> int

val set_thread_word : 'ctx t -> 'ctx thread -> int -> int -> unit
(** Does nothing for none. *)

val set_own : Words.policy -> string -> int -> int -> unit
(** Sets an attribute of the system, for the calling fiber: see
    {!Words.set_own}. *)

val detach : Words.policy -> string -> unit
(** The calling fiber leaves its policy at its next wait or yield, and comes
    back by [on_attach]. The string names the caller. Raises [Invalid_argument]
    in a run with another hub. *)

val core_word : 'ctx t -> int -> int -> int
val set_core_word : 'ctx t -> int -> int -> int -> unit
val group_word : 'ctx t -> int -> int -> int

val set_group_word : 'ctx t -> int -> int -> int -> unit
(** The machine has one domain. Each core is a group, with the same number. *)

val domain_word : 'ctx t -> int -> int -> int
val set_domain_word : 'ctx t -> int -> int -> int -> unit
val global_word : 'ctx t -> int -> int

val set_global_word : 'ctx t -> int -> int -> unit
(** Sets a word of the whole machine, which is also the word of the domain.
    These words and those of groups are written without a lock: the last write
    wins. *)

type system = { now : unit -> int; random : unit -> int; draw : int -> int }
(** The system's functions for a policy. The default functions are: the ticks
    ({!Words.tick}) since the machine was made; an even draw of 0 .. 2{^ 30} \-
    1; and an even draw of 0 .. n - 1. The draws use the calling domain's own
    generator. *)

val now : 'ctx t -> int
val random : 'ctx t -> int

val quotient : int -> int -> int
(** Division toward 0; a division by 0 gives 0. *)

val remainder : int -> int -> int
(** A division by 0 gives the dividend. *)

val cload : 'ctx t -> int -> int
(** An observation; 0 for no core, like all words below. *)

val runnable : 'ctx t -> int -> int
(** The core is a member of [idle_cores] if this word is 0, else of
    [active_cores]. *)

val count : 'ctx t -> int -> int -> int
(** [count m c state] *)

val cores : 'ctx t -> int list

val cores_of_group : 'ctx t -> int -> int list
(** The core of the group; the empty list for none. Likewise below. *)

val cores_of_domain : 'ctx t -> int -> int list
(** All cores. Also all groups, which have the same numbers. *)

val domains : 'ctx t -> int -> int list
(** The domains of a core. *)

(** {1 Choosing} *)

val first_core : int list -> (int -> int) list -> int
(** The core whose keys are lowest, compared in order; among equal cores the
    lowest number; -1 for an empty list. Each key is read once for each core. *)

val any_core : 'ctx t -> int list -> int
(** A member, drawn evenly; -1 for an empty list. *)

val ordered : int list -> (int -> int) list -> int list

val first_thread : 'ctx t -> int -> int -> 'ctx thread
(** [first_thread m c state], with the lock of c held: the running thread for
    its state, else the first thread of the queue; {!none} if there is none. *)

val threads : 'ctx t -> int -> int -> 'ctx thread list
(** The threads of a queue, in order; with the lock of the core held. *)

val among : 'ctx thread -> 'ctx thread list -> bool

val least_thread :
  'ctx t -> 'ctx thread list -> ('ctx thread -> int array) -> 'ctx thread
(** The first thread with the lowest keys. *)

val any_thread : 'ctx t -> 'ctx thread list -> 'ctx thread
(** A member, drawn evenly; {!none} for an empty list. *)

(** {1 Moving} *)

val move : 'ctx t -> int -> 'ctx thread -> int -> unit
(** [move m c t state] on one core, whose lock is held. *)

val place : 'ctx t -> 'ctx thread -> int -> int -> unit
(** [place m t c state] places a thread that is in no queue; takes the lock of
    c. *)

(** {1 Stealing} *)

type 'ctx view
(** The view of [steal_thread]: observations of the destination count the
    threads taken so far. *)

val source : 'ctx view -> int
val destination : 'ctx view -> int
val source_group : 'ctx view -> int
val destination_group : 'ctx view -> int
val seen_cload : 'ctx t -> 'ctx view -> int -> int
val seen_runnable : 'ctx t -> 'ctx view -> int -> int
val seen_count : 'ctx t -> 'ctx view -> int -> int -> int

val choose : 'ctx view -> int -> unit
(** Moves the candidate to this state, and counts the candidate there from now
    on. *)

type grouping = {
  can_steal_group : 'ctx. 'ctx t -> int -> int -> bool;
      (** arguments: the source group, the destination's group *)
  select_group : 'ctx. 'ctx t -> int -> int list -> int;
      (** argument: the destination's group *)
  group_repeated : bool;
  group_until : 'ctx. 'ctx t -> int -> int -> bool;
      (** arguments: the destination's group, the destination *)
}

type stealing = {
  by_group : grouping option;
  can_steal_core : 'ctx. 'ctx t -> int -> int -> int -> int -> bool;
      (** arguments: source, destination *)
  select_core : 'ctx. 'ctx t -> int -> int -> int -> int list -> int;
      (** argument: the destination *)
  steal_thread : 'ctx. 'ctx t -> 'ctx view -> 'ctx thread -> unit;
  enough : 'ctx. 'ctx t -> 'ctx view -> bool;
  repeated : bool;
  until : 'ctx. 'ctx t -> int -> int -> int -> bool;
      (** argument: the destination *)
}
(** In each function of [stealing] the two groups come first: -1 if the policy
    steals by core only. *)

val steal_for : 'ctx t -> int -> int -> unit
(** [steal_for m group core]. A policy that steals by core only ignores the
    group. *)

(** {1 Policies} *)

type reaction = { react : 'ctx. 'ctx t -> int -> unit }
(** A reaction to an event of the core with this number. *)

type policy = {
  name : string;
  words : Words.policy;
  states : int;
  running : int;  (** the state of the slot *)
  ready : int list;  (** in order of declaration *)
  displaced : (int * int) list;
      (** ready states of one thread, each with the state to which a new thread
          displaces the old one *)
  keys : 'ctx. int -> ('ctx thread -> int array) option;
      (** the keys of a ready state; [None]: first in, first out *)
  load : 'ctx. 'ctx thread -> int;
  new_words : unit -> int array;  (** as in {!Words.begin_well} *)
  fibers_speak : bool;  (** fibers set attributes of their own: {!set_own} *)
  sleep_time : int option;
      (** the attribute that gets, at each wake-up, the number of ticks that the
          thread slept *)
  core_words : int array;
  group_words : int array;
  global_words : int array;
  stealing : stealing option;
  on_new : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
      (** on the core where the event happens; no lock is held *)
  on_unblock : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_attach : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_block : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
      (** from here on with the lock of the core held *)
  on_terminate : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_detach : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_withdraw : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
      (** also for a thread that waits *)
  on_yield : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_tick : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_schedule : 'ctx. 'ctx t -> int -> unit;
  on_balancing : 'ctx. 'ctx t -> int -> unit;  (** no lock is held *)
  synchronized : bool;  (** only one core balances at a time *)
  on_newly_idle : reaction option;
      (** the core found no thread to run; no lock is held. Without the reaction
          the core steals for itself *)
  newly_idle_alone : bool;  (** like [synchronized] *)
  on_enter_idle : reaction option;
      (** the core found no thread after newly idle either, for the first time
          since it ran a thread; with its lock held, like the following
          reactions *)
  on_exit_idle : reaction option;
      (** the core found a thread, the first since [on_enter_idle] *)
  on_entry : reaction option;  (** the core's worker begins to serve *)
  on_exit : reaction option;
      (** the core's worker retires, and no thread waits there *)
}

val hub : policy -> Hub.maker

(** {1 For tests}

    The machine behind a hub. *)

val create : ?system:system -> policy -> workers:int -> 'ctx t
(** A machine without workers. *)

val hub_of : 'ctx t -> 'ctx Hub.t

val introduce : 'ctx t -> 'ctx thread -> unit
(** Gives the thread its words, if it has none, so that they can be set before
    the thread is pushed. *)

val period : int
(** After this number of pops the worker balances, even if its core is busy. *)
