(** A policy on a machine with a number of cores and threads, ready to make
    steps (doc/policy/semantics.md).

    The machine has three users: the explorer takes all possible steps of a
    state; the simulator runs a handler to its end at once; testers take random
    steps and call {!Look.broken}. A machine is compiled once, in a few
    milliseconds. States are arrays that the user owns and copies. Nothing
    blocks; a machine and its states belong to one domain at a time.

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
(** [runners] (by default 1) is the number of handlers that can be under way at
    once. [fault] puts an error into the skeleton, for tests of the tests.
    [source_lock] is [Throughout] except for the dispatch queues of Linux. *)

val layout : t -> Layout.t
val source_lock : t -> Scope.source_lock
val fragments : t -> Fragments.t

val passed : t -> Core.place option
(** The first operation, in any run of this machine, whose exact result has more
    than 63 bits; the machine went on with the lower 63 bits. *)

val initial : t -> state
(** All threads are in no state yet, all attributes have their initial values,
    and all cores are idle. *)

(** {1 Events} *)

val has : t -> Core.event -> bool
(** True if the policy has a handler for the event. *)

val reads_self : t -> Core.event -> bool
(** True if the core on which the handler runs matters. *)

val steals : t -> Core.event -> bool
val synchronized : t -> Core.event -> bool

val may_begin : t -> state -> Core.event -> bool
(** True if the policy has a handler for the event and the handler need not
    wait. On the whole machine at most one synchronized handler is under way. *)

val asks_waker : t -> Core.event -> bool
(** True if the policy's handler looks at the waker. *)

val start :
  ?waker:int ->
  t ->
  state ->
  runner:int ->
  Core.event ->
  self:int ->
  target:int ->
  unit
(** Puts the handler into the runner's frame, before its first step. [target] is
    the number of a thread or of a core; [waker] is the number of the thread
    that causes the event, or -1 (the default) for none. The runner must be free
    and the event possible. Raises [Invalid_argument] if the policy has no
    handler for the event. *)

val busy : t -> state -> int -> bool
(** True if the runner has a handler under way. *)

val ready : t -> state -> int -> bool
(** True if the runner can make the next step, and waits for no lock. *)

val step : t -> state -> int -> unit
(** Makes one step of a runner that is ready, and runs the code up to the next
    step. A step that draws takes the way of [Layout.draw]. *)

val ways : t -> state -> int -> int
(** The number of results of the runner's next step: more than one if the step
    draws. 1 for a runner without a handler. *)

val holds_back : t -> state -> int -> bool
(** True if the next step takes a lock, or takes a thread out of its queue: the
    step can be made together with the step after. *)

val releases : t -> state -> int -> bool
(** True if the next step releases a lock, or puts a thread into its queue: the
    step can be made together with the step before. *)

val may_end : t -> state -> int -> bool
(** True if the next step may be the handler's last. *)

val serves : t -> state -> int -> int option
(** The core for which the runner's next step steals, if any. *)

val who : t -> state -> int -> string
(** The beginning of the text of {!describe} for the runner's next step: "core
    0: t1 wakes up: ". *)

val describe : t -> state -> int -> state -> string
(** [describe m before runner after]: the step between the two states, in one
    line. *)

(** {1 Attributes that several handlers use at once}

    The code after a step is invisible to other handlers, except for these
    attributes. *)

val watching : t -> Core.attribute list -> t
(** The same machine, which notes each use of these attributes. *)

val watches : t -> bool
(** True if the machine notes the use of some attributes. *)

val met : t -> bool
(** True if the last {!step} or {!start}, or the code run with it up to the next
    step, has read or set a noted attribute. *)

(** {1 Whole handlers} *)

type report = {
  steps : int;  (** the number of steps *)
  locks : int;  (** the number of steps that took a lock *)
  moves : (int * int * int) list;
      (** the thread, the place before and the place now (see [Layout.place]),
          in order *)
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
(** Runs a handler from start to end in runner 0, without other steps between.
    [draw n] is a number from 0 to n - 1, called for each [any]. Without [draw],
    all of them use [Layout.draw] of the state. *)

val evaluate : t -> state -> target:int -> Core.expression -> int
(** The value of an expression outside of handlers, such as the condition of an
    exemption. [target] is a value: a thread's number + 1, or a core. *)

val may_run : t -> state -> thread:int -> core:int -> bool
(** The value of [can_run] of the policy; true if the policy has none. *)

val runs_nothing : t -> state -> int -> bool
(** True if the core's slot is empty. *)

(** {1 For the packing of states} *)

val frame : t -> int -> int
(** The offset of the runner's frame. *)

val frame_size : t -> int
val runners : t -> int

val live : t -> int -> (int * Code.kind) array
(** The registers that matter at the place in the code. Computed at the first
    call. *)

val within : t -> Core.event -> int -> bool
(** True if this place in the code belongs to the handler of the event. *)

val code : t -> Code.instruction array
