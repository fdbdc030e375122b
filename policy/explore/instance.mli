(** A policy on one small machine, with the event under test in runner 0 and the
    environment's in the others. *)

type start = {
  on_cores : int list;  (** how many threads, core by core *)
  system : Surroundings.t;
  threads_have : (Core.attribute * int) list;  (** each of them *)
}
(** Where a search is to begin, in place of everywhere. *)

type t = private {
  policy : Core.policy;
  promise : Promise.t;
  bounds : Bounds.t;
  machine : Machine.t;
  pack : Pack.t;
  kinds : Core.event list;  (** of the environment *)
  relevant : Relevant.t;
  fault : Scope.fault option;
  source_lock : Scope.source_lock option;
  hurry : bool;
  quiet : bool;
  given : start list option;
  tried : Machine.state;  (** for its own use *)
}

val make :
  ?fault:Scope.fault ->
  ?source_lock:Scope.source_lock ->
  ?hurry:bool ->
  ?quiet:bool ->
  ?topology:(int -> Topology.t) ->
  ?given:start list ->
  Core.policy ->
  Promise.t ->
  Bounds.t ->
  t
(** [given]: only these starts, each of as many cores as the bounds say, and of
    as many threads, the one that is new or wakes up among them.

    [topology], of so many cores: flat, or groups of two where the policy or the
    promise asks for groups.

    [hurry], the default: steps that nobody can tell apart are one move (taking
    a lock and the step after it, releasing one and the step before: Lipton
    1975; not where attributes are used that are {!Exchanged}), and when nothing
    else can move any more, the event under test goes on to its end. There are
    far fewer states; but the trace of the fewest moves may not be that of the
    fewest steps.

    [quiet]: nothing comes beside the event under test, not even a [schedule]
    that is due, until the event is over. Such runs are few for each start, and
    can be searched on machines too large for a search of all runs. A [quiet]
    search says nothing of the others. *)

val usual_topology : Core.policy -> Promise.t -> int -> Topology.t
(** The one of so many cores that {!make} takes where none is given. *)

val again : t -> t
(** The same, compiled anew. *)

val varies : Core.policy -> bool
(** [Bounds.varied] makes a difference. *)

val thieves : Core.policy -> Promise.t -> bool
(** Others may steal while the event is under way. *)

val starts : t -> (Machine.state -> unit) -> unit
(** All distributions of up to so many threads on the cores with nothing under
    way, each core running one if it has any; the event under test about to take
    its first step. Queues are chosen as the policy's own handlers choose them.
    Exempt events are left out. The state belongs to [starts]. *)

val clear : Machine.state -> unit
(** Forgets what an event has noted of its cores. *)

(** {1 Moves} *)

type move =
  | Continue of { runner : int; draw : int }
      (** the runner's next step, and which way if there are several *)
  | Begin of {
      runner : int;
      event : Core.event;
      self : int;
      target : int;
      waker : int;  (** the thread whose doing it is, or -1 *)
    }

val wakers :
  Machine.t -> Machine.state -> Core.event -> self:int -> target:int -> int list
(** Whose doing the event may be: nobody's, or the thread's that runs on [self],
    where the handler asks. *)

val moves : t -> Machine.state -> (move -> unit) -> unit

val apply :
  ?note:(Machine.state -> int -> unit) -> t -> Machine.state -> move -> unit
(** In place. [note] is called before each step, with its runner. *)

val copy : t -> Machine.state -> Machine.state -> unit
(** [copy i from into]: all but frames that are free. *)

val over : t -> Machine.state -> bool
(** The event under test is. *)

val finish : t -> Machine.state -> string option
(** Brings to its end all that is under way, and schedules; a message if that
    cannot be. *)

val counts : t -> Machine.state -> Promise.breach option
(** The promise is broken, also after the rounds that [conserve within] grants.
    Of a state in which the event is over; it is left as it was. *)
