(** Policies of a few parts, as text: ULE-CWC, cut to what decides where threads
    go, and what one can get wrong in it, each by its name. For tests that know
    what has to come of it; those that take whatever comes draw a
    {!Random_policy}. *)

open Dromos_policy_core.Core

type placement =
  | Least  (** the least loaded core of all *)
  | Idle_or_least  (** an idle core near the last one, else the least loaded *)
  | Last_core  (** threads marked as interrupts go back where they were *)
  | In_domain  (** the least loaded core of the last core's smallest domain *)

type shape = {
  filter : int;  (** can_steal_core: src.cload - dst.cload >= filter *)
  take : int;  (** the same in steal_thread *)
  enough : int option;  (** until of steal_thread: count(dst) >= this *)
  repeated : bool;
  until : [ `Runs | `Always | `Never ];
      (** stop when dst is not empty; after the first core; not before the end
      *)
  select : [ `Highest | `Lowest | `First ];
  order : [ `Lowest | `Highest | `Number ];  (** of the cores, in balancing *)
  placement : placement;
  queues : int;  (** 1 or 2 ready states *)
  counts : bool;  (** look at count(c.q), not cload, in until *)
  weighed : bool;  (** threads have loads of their own *)
  by_group : bool;
  synchronized : bool;  (** balancing *)
  newly_idle : bool option;
      (** a core with nothing to run steals for itself: synchronized, or not *)
  rounds : int option;  (** conserve within this many rounds *)
  exempt_interrupts : bool;
}

val ule : shape
val policy : shape -> policy

val random : Random.State.t -> shape
(** Sensible or not: what must hold for every policy holds for these too. *)

val show : shape -> string
