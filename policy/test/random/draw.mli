(** The small choices of which a random policy is made. Each returns a piece of
    text. *)

type part =
  | Margin
  | Take
  | Select
  | Until
  | Repeated
  | Groups
  | Order
  | Idle
  | Placement
  | Balancing
  | Schedule
  | Alone  (** what can be wrong with a policy *)

type sense =
  | Mostly of float  (** how often a sensible alternative is taken *)
  | All_but of part
      (** always, but where this part is concerned: most faults are seen only
          where there is no other *)

type t = {
  chance : Random.State.t;
  may_idle : bool;  (** [schedule] may run nothing, though a thread is ready *)
  patient : bool;
      (** queues are served by turns and a tick ends a turn: mostly, each ready
          thread runs after a bounded time *)
  sense : sense;
  queues : string list;  (** the READY states; the slot is [current] *)
  one_thread : bool;
      (** the last of several queues holds one thread; who is displaced goes to
          the first *)
  loads : [ `None | `Constant of int | `Varied | `Wild  (** any number *) ];
  affinity : [ `None | `Only | `Big ];
      (** a core that the system names, or big cores for pinned threads *)
  steals : bool;
  by_group : bool;
  thread : string;  (** names of variables and of two functions *)
  core : string;
  choose : string;
  settle : string;
}

val make : ?idle:bool -> Random.State.t -> t
val below : t -> int -> int
val one : t -> 'a list -> 'a
val often : t -> float -> bool

val sensible : t -> part -> 'a list -> 'a list -> 'a
(** One of the first, or now and then of the second. *)

val perhaps : t -> float -> string -> string

(** {1 Observing a core} *)

val number : t -> string -> string
(** How many threads it has, in one of the ways to say it. *)

val is_idle : t -> string -> string
val is_busy : t -> string -> string
val busiest : t -> string
val idlest : t -> string

(** {1 Moving} *)

val shuffled : t -> 'a list -> 'a list

val enqueue : ?all:bool -> t -> string -> string -> string
(** [enqueue t thread core] moves the thread to a queue of the core, or of
    [self] if that is [""], by what attributes of the thread say. [all]: no
    queue is left out. *)
