(** The machine that compiled policies drive: workers are its cores, kernel
    tasks its threads. {!hub} makes a hub for the pool of it; the rest is for
    generated code.

    Follows doc/policy/semantics.md: the words that other cores observe are
    raised before a thread enters a queue and lowered after it has left one,
    under the lock of their core and read without; one lock is held at a time.
    What it adds, because workers come and go and fibers are tied to them:

    - A core that nobody serves is given nothing, and is not among {!cores}
      while another is served. What is placed there anyway, or was there when
      the last worker retired, waits with the {e orphans}, of whom any worker
      takes one now and then, and if it finds nothing else.
    - Tasks for one worker only ([submit_to]) are in its inbox, which takes
      turns with the policy.
    - A fiber that waits for a task that is the newest of its queue runs it in
      its own place: for the policy the task has ended, by [terminate]. Not
      where fibers set attributes of their own, since the task would set those
      of the fiber.
    - A task that waits for an ivar while its worker runs others (kernel tasks,
      not fibers) counts as blocked meanwhile.
    - A hub cannot stop a running fiber: [tick] is told when the fiber's quantum
      is over and it comes back as preempted, and [yield] after it if it still
      runs.

    - A fiber leaves the policy where its program says so ({!detach}), at its
      next wait or yield, by [on_detach]; it comes back by [on_attach], as one
      does that no worker made.
    - What waits at a core when its worker retires is taken away by
      [on_withdraw], and comes back by [on_attach] of a core that is served.

    - [yield] by a policy that leaves the fiber where it is, or does not say, is
      a [block] and an [unblock].

    Model-checked is the policy; this library is tested ([policy/test/runtime]):
    on random policies and events it does what the machine of policy/semantics
    does. *)

module Hub = Dromos_hub.Hub

type 'ctx thread = 'ctx Hub.task
type 'ctx t

val none : 'ctx t -> 'ctx thread
val valid : 'ctx t -> 'ctx thread -> bool

(** {1 Words}

    Attributes are ints: enumerations by number of the member, booleans 0 and 1,
    cores by number, -1 for none. [k] counts the policy's own from 0. *)

val thread_word : 'ctx thread -> int -> int

val set_thread_word : 'ctx t -> 'ctx thread -> int -> int -> unit
(** Nothing for none. *)

val set_own : Words.policy -> string -> int -> int -> unit
(** An attribute that the system sets, of the calling fiber: see
    {!Words.set_own}. *)

val detach : Words.policy -> string -> unit
(** The calling fiber leaves its policy when it next waits or yields, and comes
    back by [on_attach]. The text names the caller. Raises [Invalid_argument] in
    a run whose hub is another. *)

val core_word : 'ctx t -> int -> int -> int
val set_core_word : 'ctx t -> int -> int -> int -> unit
val group_word : 'ctx t -> int -> int -> int

val set_group_word : 'ctx t -> int -> int -> int -> unit
(** There is one domain, and each core is a group, of its number. *)

val domain_word : 'ctx t -> int -> int -> int
val set_domain_word : 'ctx t -> int -> int -> int -> unit
val global_word : 'ctx t -> int -> int

val set_global_word : 'ctx t -> int -> int -> unit
(** Of the whole machine, and of its domain. These and the groups' are written
    without a lock: the last one wins. *)

type system = { now : unit -> int; random : unit -> int; draw : int -> int }
(** What a policy asks of the system. If nobody says otherwise: the ticks
    ({!Words.tick}) since the machine was made, an even draw of 0 .. 2{^ 30} \-
    1, and one of 0 .. n - 1, by the calling domain's own generator. *)

val now : 'ctx t -> int
val random : 'ctx t -> int

val quotient : int -> int -> int
(** Toward 0; by 0 it is 0. *)

val remainder : int -> int -> int
(** By 0 it is the dividend. *)

val cload : 'ctx t -> int -> int
(** Observed; 0 for no core, as all words below. *)

val runnable : 'ctx t -> int -> int

val count : 'ctx t -> int -> int -> int
(** [count m c state] *)

val is_active : 'ctx t -> int -> bool
val cores : 'ctx t -> int list

val cores_of_group : 'ctx t -> int -> int list
(** One; of none, none. So the two below. *)

val cores_of_domain : 'ctx t -> int -> int list
(** All, or their groups, which have the same numbers. *)

val domains : 'ctx t -> int -> int list
(** Of a core. *)

(** {1 Choosing} *)

val first_core : int list -> (int -> int) list -> int
(** The one whose keys are lowest, compared in order; the lowest number of
    those; -1 of none. Each key is read once for each core. *)

val any_core : 'ctx t -> int list -> int
(** A member, drawn evenly; -1 of none. *)

val ordered : int list -> (int -> int) list -> int list

val first_thread : 'ctx t -> int -> int -> 'ctx thread
(** [first_thread m c state], with the lock of c held: the running thread if
    that is the state, else the first of the queue; {!none}. *)

val threads : 'ctx t -> int -> int -> 'ctx thread list
(** Of a queue, in its order; with the lock of the core held. *)

val among : 'ctx thread -> 'ctx thread list -> bool

val least_thread :
  'ctx t -> 'ctx thread list -> ('ctx thread -> int array) -> 'ctx thread
(** The first of those whose keys are lowest. *)

val any_thread : 'ctx t -> 'ctx thread list -> 'ctx thread
(** A member, drawn evenly; {!none} of none. *)

(** {1 Moving} *)

val move : 'ctx t -> int -> 'ctx thread -> int -> unit
(** [move m c t state] on one core, whose lock is held. *)

val place : 'ctx t -> 'ctx thread -> int -> int -> unit
(** [place m t c state]: a thread that is in no queue; takes the lock of c. *)

(** {1 Stealing} *)

type 'ctx view
(** What [steal_thread] sees while it chooses: the observables of the
    destination count what was taken already. *)

val source : 'ctx view -> int
val destination : 'ctx view -> int
val source_group : 'ctx view -> int
val destination_group : 'ctx view -> int
val seen_cload : 'ctx t -> 'ctx view -> int -> int
val seen_runnable : 'ctx t -> 'ctx view -> int -> int
val seen_count : 'ctx t -> 'ctx view -> int -> int -> int

val choose : 'ctx view -> int -> unit
(** The candidate goes to this state, and is counted so from here on. *)

type grouping = {
  can_steal_group : 'ctx. 'ctx t -> int -> int -> bool;
      (** of the group to steal from and that of the destination *)
  select_group : 'ctx. 'ctx t -> int -> int list -> int;
      (** of the destination's *)
  group_repeated : bool;
  group_until : 'ctx. 'ctx t -> int -> int -> bool;
      (** of the destination's group and the destination *)
}

type stealing = {
  by_group : grouping option;
  can_steal_core : 'ctx. 'ctx t -> int -> int -> int -> int -> bool;
      (** of source, destination *)
  select_core : 'ctx. 'ctx t -> int -> int -> int -> int list -> int;
      (** of the destination *)
  steal_thread : 'ctx. 'ctx t -> 'ctx view -> 'ctx thread -> unit;
  enough : 'ctx. 'ctx t -> 'ctx view -> bool;
  repeated : bool;
  until : 'ctx. 'ctx t -> int -> int -> int -> bool;  (** of the destination *)
}
(** Both groups come first, -1 if the policy steals by core only. *)

val steal_for : 'ctx t -> int -> int -> unit
(** [steal_for m group core]; the group does not matter to policies that steal
    by core only. *)

(** {1 Policies} *)

type reaction = { react : 'ctx. 'ctx t -> int -> unit }
(** To an event of the core of that number. *)

type policy = {
  name : string;
  words : Words.policy;
  states : int;
  running : int;  (** the state of the slot *)
  ready : int list;  (** in order of declaration *)
  displaced : (int * int) list;
      (** ready states of one thread, each with the state to which a thread is
          moved from there when another thread comes *)
  keys : 'ctx. int -> ('ctx thread -> int array) option;
      (** of a ready state; [None]: first in, first out *)
  load : 'ctx. 'ctx thread -> int;
  new_words : unit -> int array;  (** see {!Words.begin_well} *)
  fibers_speak : bool;  (** they set attributes of their own: {!set_own} *)
  sleep_time : int option;
      (** the attribute that is told, when a thread wakes, for how many ticks it
          slept *)
  core_words : int array;
  group_words : int array;
  global_words : int array;
  stealing : stealing option;
  on_new : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
      (** of the core where it happens; no lock is held *)
  on_unblock : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_attach : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_block : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
      (** from here on with the lock of the core held *)
  on_terminate : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_detach : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_withdraw : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
      (** also of one that waits *)
  on_yield : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_tick : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_schedule : 'ctx. 'ctx t -> int -> unit;
  on_balancing : 'ctx. 'ctx t -> int -> unit;  (** no lock is held *)
  synchronized : bool;  (** only one core balances at a time *)
  on_newly_idle : reaction option;
      (** the core found nothing to run, no lock is held; else it steals for
          itself *)
  newly_idle_alone : bool;  (** likewise [synchronized] *)
  on_enter_idle : reaction option;
      (** it found nothing after that either, for the first time since it ran
          something; with its lock held, as for the rest *)
  on_exit_idle : reaction option;
      (** it found something, the first thing since *)
  on_entry : reaction option;  (** its worker begins to serve *)
  on_exit : reaction option;  (** it retires, and nothing waits there *)
}

val hub : policy -> Hub.maker

(** {1 For tests}

    The machine behind a hub. *)

val create : ?system:system -> policy -> workers:int -> 'ctx t
(** Served by nobody yet. *)

val hub_of : 'ctx t -> 'ctx Hub.t

val introduce : 'ctx t -> 'ctx thread -> unit
(** Gives a thread its words, unless it has them: so they can be set before it
    is pushed. *)

val period : int
(** Pops of a core after which its worker balances, though it is busy. *)
