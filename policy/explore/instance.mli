(** A policy on one small machine. Runner 0 has the event under test; the
    remaining runners have the events of the environment. *)

type start = {
  on_cores : int list;  (** the number of threads, core by core *)
  system : Surroundings.t;
  threads_have : (Core.attribute * int) list;
      (** the values of attributes of each thread *)
}
(** A state in which a search begins, in place of all states. *)

type t = private {
  policy : Core.policy;
  promise : Promise.t;
  bounds : Bounds.t;
  machine : Machine.t;
  pack : Pack.t;
  kinds : Core.event list;  (** the events of the environment *)
  relevant : Relevant.t;
  fault : Scope.fault option;
  source_lock : Scope.source_lock option;
  hurry : bool;
  quiet : bool;
  due : bool;
  given : start list option;
  tried : Machine.state;  (** scratch state of this module *)
}

val make :
  ?fault:Scope.fault ->
  ?source_lock:Scope.source_lock ->
  ?hurry:bool ->
  ?quiet:bool ->
  ?due:bool ->
  ?topology:(int -> Topology.t) ->
  ?given:start list ->
  Core.policy ->
  Promise.t ->
  Bounds.t ->
  t
(** [given]: only these starts. Each has as many cores and threads as the bounds
    say; the threads include the thread that is new or wakes up.

    [topology] of a number of cores: by default flat, or groups of two where the
    policy or the promise asks for groups.

    [hurry] (the default) joins steps into one move where no handler can tell
    the difference: taking a lock with the step after, releasing a lock with the
    step before (Lipton 1975), except steps that use {!Exchanged} attributes.
    When only the event under test can move, the event runs to its end in one
    move. The search has far fewer states, but the trace with the fewest moves
    may not have the fewest steps.

    [quiet]: nothing comes beside the event under test until the event is over,
    not even a [schedule] that is due. Each start has few such runs, so a quiet
    search is possible on machines too large for a search of all runs. A quiet
    search says nothing about the remaining runs.

    [due] (by default false): the event begins while [schedule] is due on each
    core that has a thread: the threads are ready, and none runs. *)

val usual_topology : Core.policy -> Promise.t -> int -> Topology.t
(** The default topology of {!make} for this number of cores. *)

val again : t -> t
(** The same instance, compiled again. *)

val varies : Core.policy -> bool
(** True if [Bounds.varied] makes a difference. *)

val thieves : Core.policy -> Promise.t -> bool
(** True if other cores may steal while the event is under way. *)

val starts : t -> (Machine.state -> unit) -> unit
(** All distributions of up to [bounds.threads] threads on the cores, with
    nothing under way. Each core with threads runs one of them, or none with
    [due], and the event under test is about to take its first step. Queues are
    chosen by the policy's own handlers. Exempt events are left out. The state
    belongs to [starts]; copy it to keep it. *)

val clear : Machine.state -> unit
(** Resets the sets of cores that an event has noted (B, U and others). *)

(** {1 Moves} *)

type move =
  | Continue of { runner : int; draw : int }
      (** the runner's next step; [draw] chooses one of several ways *)
  | Begin of {
      runner : int;
      event : Core.event;
      self : int;
      target : int;
      waker : int;  (** the thread that causes the event, or -1 *)
    }

val wakers :
  Machine.t -> Machine.state -> Core.event -> self:int -> target:int -> int list
(** The possible wakers of the event: none (-1), and the thread that runs on
    [self] if the handler asks for the waker. *)

val moves : t -> Machine.state -> (move -> unit) -> unit

val apply :
  ?note:(Machine.state -> int -> unit) -> t -> Machine.state -> move -> unit
(** Makes the move in place. [note] is called before each step, with the runner
    of the step. *)

val copy : t -> Machine.state -> Machine.state -> unit
(** [copy i from into] copies all words except the registers of free frames. *)

val over : t -> Machine.state -> bool
(** True if the event under test is over. *)

val finish : t -> Machine.state -> string option
(** Runs all handlers under way to their ends, and each [schedule] that is due;
    a message if a handler cannot end or if conservation is violated. *)

val counts : t -> Machine.state -> Promise.breach option
(** The breach of the promise, if the promise is broken even after the rounds
    granted by [conserve within]. For a state in which the event is over; the
    state is left unchanged. *)
