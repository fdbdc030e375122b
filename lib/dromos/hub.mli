(** Scheduling policies: a hub keeps the tasks of a run, and chooses the task
    that a worker takes next. The public part of {!Dromos.Hub}. *)

(** The place where a hub keeps the tasks that its workers make. Fairness
    ({e Turns} in {!Dromos}) depends on the place. *)
type deques = Dromos_fiber.Turns.deques =
  | No_deques
      (** not in deques, or the hub guarantees turns by a policy of its own *)
  | Public  (** in deques, newest first, from which thieves take *)
  | Private
      (** in deques, newest first; only the owner of a deque gives its tasks
          away, and an owner that computes is interrupted for a thief *)

type t

val std : t
(** Work stealing from public Chase-Lev deques, random victims. The default: the
    best throughput for fork/join. *)

val private_ : t
(** Work stealing from private deques: a thief asks, and the victim answers at
    its next fork, task or wait; a victim that computes is interrupted at its
    next poll point. The cheapest publishing; a task made by {!Dromos.async}
    whose maker computes begins elsewhere about a millisecond later than on
    {!std}. *)

val dealing : t
(** Work dealing from private deques: a worker without work says so, and the
    next worker that forks, or that makes or ends a task, gives its oldest task
    away. A task made by {!Dromos.async} while another worker is idle starts at
    once. If the task was made before the other worker became idle, its maker is
    interrupted, as on {!private_}. *)

val fifo : t
(** One shared queue, oldest first: low latency for servers; divide and conquer
    uses memory breadth first. *)

val hybrid : t
(** Bounded deques, with a shared queue for tasks that find a deque full. *)

val all : t list
val name : t -> string

type maker = Dromos_hub.Hub.maker
(** Makes the hub of a run: a policy compiled by [dromos policy compile], or the
    kernel's record of functions. *)

val v : ?deques:deques -> name:string -> maker -> t
(** Any other hub. [deques] is [No_deques] by default. *)

(** {1 For runs} *)

val maker : t -> maker
val deques : t -> deques
