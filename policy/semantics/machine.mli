(** A policy on a machine of so many cores and threads, ready to make steps
    (doc/policy/semantics.md).

    Three kinds of users: the explorer takes all steps that are possible in a
    state; the simulator runs a handler to its end at once; testers take random
    steps and look at {!Look.broken}. A machine is compiled once, in a few
    milliseconds, and is never changed; states are arrays that the user owns and
    copies. Nothing blocks; a machine and its states belong to one domain at a
    time.

    {[
      let m = Machine.create ~threads:3 (Topology.flat 2) policy in
      let s = Machine.initial m in
      let report = Machine.run m s New ~self:0 ~target:0 in
      ...
    ]} *)

type t
type state = Layout.state

val create :
  ?fault:Scope.fault ->
  ?source_lock:Scope.source_lock ->
  ?runners:int ->
  threads:int ->
  Topology.t ->
  Core.policy ->
  t
(** [runners] (1 if not said) is how many handlers can be under way at once. A
    [fault] puts an error into the skeleton, for tests of the tests.
    [source_lock] is [Throughout] but for the dispatch queues of Linux. *)

val layout : t -> Layout.t
val source_lock : t -> Scope.source_lock
val fragments : t -> Fragments.t

val initial : t -> state
(** All threads are in no state yet, all attributes have their first value, all
    cores are idle. *)

(** {1 Events} *)

val has : t -> Core.event -> bool
(** The policy has a handler for it. *)

val reads_self : t -> Core.event -> bool
(** Whether it matters on which core the handler runs. *)

val steals : t -> Core.event -> bool
val synchronized : t -> Core.event -> bool

val may_begin : t -> state -> Core.event -> bool
(** The policy has a handler for it, which does not wait for one under way: of
    those that are synchronized only one is, on the whole machine. *)

val asks_waker : t -> Core.event -> bool
(** The policy's handler looks at the waker. *)

val watches_members : t -> bool
(** The policy looks at [idle_cores] or [active_cores]. *)

val start :
  ?waker:int ->
  t ->
  state ->
  runner:int ->
  Core.event ->
  self:int ->
  target:int ->
  unit
(** The handler is in the runner's frame, before its first step. [target] is a
    thread's or a core's number; [waker] the number of the thread whose doing
    the event is, -1 (if not said) for none. The runner must be free, the event
    possible. Raises [Invalid_argument] if the policy has no handler for it. *)

val busy : t -> state -> int -> bool
(** The runner has a handler under way. *)

val ready : t -> state -> int -> bool
(** Its next step can be made: it waits for no lock. *)

val step : t -> state -> int -> unit
(** One step of a runner that is ready, and what follows up to the next step.
    Where it draws, [Layout.draw] of the state says what. *)

val ways : t -> state -> int -> int
(** How many ways the next step of the runner can go: more than one where it
    draws. 1 of a runner that has no handler under way. *)

val holds_back : t -> state -> int -> bool
(** The next step takes a lock or a thread out of its queue: it can be made
    together with the one after. *)

val releases : t -> state -> int -> bool
(** The next step releases a lock: it can be made together with the one before.
*)

val may_end : t -> state -> int -> bool
(** The next step may be the handler's last. *)

val serves : t -> state -> int -> int option
(** The core for which the next step of the runner steals, if it does. *)

val who : t -> state -> int -> string
(** The handler of the runner, as what {!describe} says of its next step begins:
    "core 0: t1 wakes up: ". *)

val describe : t -> state -> int -> state -> string
(** [describe m before runner after]: the step between, in a line. *)

(** {1 Attributes that several handlers use at once}

    Others see nothing else of what follows a step. *)

val watching : t -> Core.attribute list -> t
(** The same machine, which takes note where these attributes are used. *)

val watches : t -> bool
(** It takes note of some. *)

val met : t -> bool
(** The last {!step}, or {!start}, has looked at one of them or set one, itself
    or in what follows it up to the next step. *)

(** {1 Whole handlers} *)

type report = {
  steps : int;  (** what it cost *)
  locks : int;  (** of these, locks taken *)
  moves : (int * int * int) list;
      (** thread, place before, place now (see [Layout.place]), in order *)
}

val run :
  ?draw:(int -> int) ->
  ?waker:int ->
  t ->
  state ->
  Core.event ->
  self:int ->
  target:int ->
  report
(** From start to end in runner 0, with nothing in between. [draw n] is one of 0
    .. n - 1, for each [any]; without it [Layout.draw] of the state says what
    all of them draw. *)

val evaluate : t -> state -> target:int -> Core.expression -> int
(** An expression that stands in no handler, such as the condition of an
    exemption. The target is a value: a thread's number + 1, or a core. *)

val may_run : t -> state -> thread:int -> core:int -> bool
(** What [can_run] of the policy says; true where it has none. *)

val runs_nothing : t -> state -> int -> bool
(** The core's slot is empty. *)

(** {1 For the packing of states} *)

val frame : t -> int -> int
(** Where the runner's frame starts. *)

val frame_size : t -> int
val runners : t -> int

val live : t -> int -> (int * Code.kind) array
(** Registers that matter at this place in the code. Computed when it is first
    asked for. *)

val within : t -> Core.event -> int -> bool
(** This place in the code is of the handler of this event. *)

val code : t -> Code.instruction array
val event_name : Core.event -> string
