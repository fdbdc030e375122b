(** The promises of a policy about a state in which an event has just ended
    (Definitions 3 and 4 of the paper; doc/policy/semantics.md). *)

type t =
  | Gcwc  (** balancing, for all cores *)
  | Hcwc  (** balancing, for the groups of each domain *)
  | Lcwc of Core.event
      (** [New] or [Unblock], for the core chosen by the handler *)
  | Waiting
      (** bounded waiting: no promise about a single event or state; see
          {!Starvation} *)

val all : Core.policy -> t list
(** The promises about single events, as far as the policy handles the events:
    [Hcwc] if the policy steals by group, else [Gcwc]. *)

val name : t -> string
val event : t -> Core.event

(** A broken promise. If the policy has an affinity, [Gcwc] and [Hcwc] count
    only a ready thread, beside the running one, that may run on the idle core;
    [Lcwc] counts the placed thread. *)

type breach = {
  overloaded : int list;  (** a single core, or the cores of a group *)
  idle : int list;
}

val breach : ?mended:bool -> t -> Machine.t -> Machine.state -> breach option
(** O(cores{^ 2} * threads). [mended]: the state is after the rounds of
    [conserve within]. The placed thread may be elsewhere by then, so [Lcwc] too
    needs a ready thread of the core that may run on the idle core. *)
