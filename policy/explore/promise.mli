(** What a policy promises of a state in which an event has just ended
    (Definitions 3 and 4 of the paper; doc/policy/semantics.md). *)

type t =
  | Gcwc  (** of balancing, for all cores *)
  | Hcwc  (** of balancing, for the groups of each domain *)
  | Lcwc of Core.event  (** of [New] or [Unblock], for the core it chose *)
  | Waiting
      (** bounded waiting: of no single event, and so of no single state; see
          {!Starvation} *)

val all : Core.policy -> t list
(** Those of single events that a policy makes by what it handles; [Hcwc] if it
    steals by group, [Gcwc] if it does not. *)

val name : t -> string
val event : t -> Core.event

(** Where the policy has an affinity: [Gcwc] and [Hcwc] of a ready thread,
    beside the running one, that the idle core may run; [Lcwc] of the thread
    that is placed. *)

type breach = {
  overloaded : int list;  (** one core, or the cores of a group *)
  idle : int list;
}

val breach : ?mended:bool -> t -> Machine.t -> Machine.state -> breach option
(** O(cores{^ 2} * threads). [mended]: after the rounds of [conserve within]:
    the thread that was placed may be elsewhere by now, so of [Lcwc] too some
    ready thread of the core must be one that the idle core may run. *)
