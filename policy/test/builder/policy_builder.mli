(** Policies of a few parts, as text: ULE-CWC, cut down to the decisions where
    threads go. Each possible mistake has a name. For tests with a known result.
    Tests that accept any result draw a {!Random_policy}. *)

open Dromos_policy_core.Core

type placement =
  | Least  (** the least loaded core of all *)
  | Idle_or_least  (** an idle core near the last one, or the least loaded *)
  | Last_core  (** threads marked as interrupts go back to their last core *)
  | In_domain  (** the least loaded core of the last core's smallest domain *)

type shape = {
  filter : int;  (** can_steal_core: src.cload - dst.cload >= filter *)
  take : int;  (** steal_thread: src.cload - dst.cload >= take *)
  enough : int option;  (** until of steal_thread: count(dst) >= enough *)
  repeated : bool;
  until : [ `Runs | `Always | `Never ];
      (** stop when dst is not empty, stop after the first core, or never stop
          before the end *)
  select : [ `Highest | `Lowest | `First ];
  order : [ `Lowest | `Highest | `Number ];
      (** cores in this order, in balancing *)
  placement : placement;
  queues : int;  (** 1 or 2 ready states *)
  counts : bool;  (** until looks at count(c.q), not at cload *)
  weighed : bool;  (** threads have loads of their own *)
  by_group : bool;
  synchronized : bool;  (** balancing is synchronized *)
  newly_idle : bool option;
      (** a core without work steals for itself: synchronized, or not *)
  rounds : int option;  (** conserve within this many rounds *)
  exempt_interrupts : bool;
}

val ule : shape
val policy : shape -> policy

val random : Random.State.t -> shape
(** Draws a shape, sensible or not: properties of every policy hold for it too.
*)

val show : shape -> string
