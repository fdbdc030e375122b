(** The environment: the events of other cores that can begin in a state. *)

type state = Layout.state

val kinds : Machine.t -> during:Core.event -> Core.event list
(** The events (among unblock, new, block, terminate, yield, tick, balancing and
    newly_idle) that the policy handles and that can come while [during] is
    under way. Events that show nothing new are left out: an empty handler, a
    handler with the same code as another, and a terminate handler with a single
    move out, if the block handler is one too. No event steals while a thread is
    placed ([New], [Unblock]). *)

val thieves : Machine.t -> during:Core.event -> bool
(** True if an event of {!kinds} steals. *)

val starts :
  Machine.t ->
  kinds:Core.event list ->
  state ->
  (Core.event -> self:int -> target:int -> unit) ->
  unit
(** Calls the function for each event that can begin. A handler that holds its
    core's lock begins only if the lock is free, for the thread that then runs.
    A synchronized handler does not begin while another synchronized handler is
    under way. Newly idle can come on cores with nothing to run. [self] is -1 if
    the core does not matter. *)

val due : Machine.t -> state -> (int -> unit) -> unit
(** The cores on which [schedule] comes next: the lock is free, nothing runs,
    and a thread is ready. *)

val any_due : Machine.t -> state -> bool

val settle : Machine.t -> state -> unit
(** Runs each due [schedule], in runner 0. *)
