(** The small choices in a random policy. Each function returns a piece of text.
*)

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
  | Alone  (** the parts of a policy that can be wrong *)

type sense =
  | Mostly of float
      (** a sensible alternative is taken with this probability *)
  | All_but of part
      (** always sensible, except for this part: most faults are seen only alone
      *)

type t = {
  chance : Random.State.t;
  may_idle : bool;  (** [schedule] may run nothing, though a thread is ready *)
  patient : bool;
      (** queues are served by turns and a tick ends a turn: mostly, each ready
          thread runs after a bounded time *)
  sense : sense;
  queues : string list;  (** the READY states, without the slot [current] *)
  one_thread : bool;
      (** the last of several queues holds one thread, and displaced threads go
          to the first *)
  loads : [ `None | `Constant of int | `Varied | `Wild  (** any number *) ];
  affinity : [ `None | `Only | `Big ];
      (** a core named by the system, or big cores for pinned threads *)
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
(** Draws from the first list, or sometimes from the second. *)

val perhaps : t -> float -> string -> string

(** {1 Observing a core} *)

val number : t -> string -> string
(** The number of threads of a core, written in one of several ways. *)

val is_idle : t -> string -> string
val is_busy : t -> string -> string
val busiest : t -> string
val idlest : t -> string

(** {1 Moving} *)

val shuffled : t -> 'a list -> 'a list

val enqueue : ?all:bool -> t -> string -> string -> string
(** [enqueue t thread core] moves the thread to a queue of the core, or of
    [self] if [core] is [""]. Attributes of the thread choose the queue. [all]:
    no queue is left out. *)
