(** Scheduling policies: who keeps the tasks of a run, and who takes which. The
    public part of {!Dromos.Hub}. *)

(** Where a hub keeps what its workers make, which fairness ({e Turns} in
    {!Dromos}) depends on. *)
type deques = Dromos_fiber.Turns.deques =
  | No_deques  (** not in deques, or it sees to turns by a policy of its own *)
  | Public  (** in deques, newest first, from which thieves take *)
  | Private
      (** in deques, newest first, from which a task moves with the help of its
          worker only: a worker that computes is interrupted for it *)

type t

val std : t
(** Work stealing from public Chase-Lev deques, random victims. The default:
    best throughput for fork/join. *)

val private_ : t
(** Work stealing from private deques: a thief asks, the victim answers at its
    next fork, task or wait, or is interrupted at its next poll point if it
    computes. Cheapest publishing; a task made by {!Dromos.async} whose maker
    computes begins elsewhere about a millisecond later than on {!std}. *)

val dealing : t
(** Work dealing from private deques: a worker that has nothing says so, and the
    next one that forks, makes or ends a task gives it its oldest. A task made
    by {!Dromos.async} while another worker is idle starts at once; for one that
    was made before that its maker is interrupted, as on {!private_}. *)

val fifo : t
(** One shared queue, oldest first: latency for servers, at the price of
    breadth-first memory use in divide and conquer. *)

val hybrid : t
(** Bounded deques with a shared queue for what overflows. *)

val all : t list
val name : t -> string

type maker = Dromos_hub.Hub.maker
(** Makes the hub of a run: a policy compiled by [dromos policy compile], or the
    kernel's record of functions. *)

val v : ?deques:deques -> name:string -> maker -> t
(** Any other hub. [deques] is [No_deques] if not given. *)

(** {1 For runs} *)

val maker : t -> maker
val deques : t -> deques
