(** What can begin in a state: the events of the other cores. *)

type state = Layout.state

val kinds : Machine.t -> during:Core.event -> Core.event list
(** Those of unblock, new, block, terminate, yield, tick, balancing and
    newly_idle that the policy handles and that can come while [during] is under
    way; without the ones that tell nothing new: a handler that does nothing or
    the same as another, a terminate that only moves its thread out, as such a
    block does. While a thread is placed ([New], [Unblock]) nobody steals. *)

val thieves : Machine.t -> during:Core.event -> bool
(** One of these steals. *)

val starts :
  Machine.t ->
  kinds:Core.event list ->
  state ->
  (Core.event -> self:int -> target:int -> unit) ->
  unit
(** Each event that can begin. Of handlers that hold their core's lock only
    those are said to begin whose lock is free, and for the thread that runs
    then; of those that are synchronized none while another is under way. Cores
    with nothing to run can become newly idle. [self] is -1 where it does not
    matter. *)

val due : Machine.t -> state -> (int -> unit) -> unit
(** The cores where [schedule] comes next: there is something to run, or
    membership of the idle cores to change, and the lock is free. *)

val any_due : Machine.t -> state -> bool

val settle : Machine.t -> state -> unit
(** Runs all that is due, in runner 0. *)
