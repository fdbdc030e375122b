(** Scheduler actions: what a worker does after a fiber has left, and how a
    fiber comes back. Owner of [actions], [next] and [next_by] of
    {!Types.type-worker}. Internal.

    A worker has a stack of actions ({!Types.type-entry}). The stack is empty
    while the kernel's loop, the root action, is in charge. When the running
    fiber ends or waits, the worker takes the topmost action off and passes the
    signal [Stop]; when the fiber yields, [Preempt]. The worker carries out the
    directive that the action returns, on the kernel task's own stack, and
    repeats until the stack of actions is empty. A kernel task thus begins and
    ends with an empty stack of actions. Fibers that run under no action pay two
    tests each time they leave their worker.

    An action runs as code of the fiber that put the action on the stack, and
    each call has a handler of its own. An action may wait or yield like any
    fiber; the action below then gets the signal. *)

open Types

val is_root : worker -> bool
(** [true]: no action is in charge. *)

val set_next : worker -> fiber -> directive -> unit
(** Stores the directive of the fiber that leaves its worker. *)

val finish : fiber -> directive -> unit
(** {!set_next} at the end of a piece of code: a fiber's first code, or a call
    of an action. After [Run] an action of the fiber is on the stack; after
    [Forward] the fiber is over. *)

val run_all : worker -> unit
(** Carries out the stored directives, until the kernel's loop is in charge.
    Called by the thread that acts for the worker. *)

val look_around : worker -> unit
(** Called between two kernel tasks. *)

val enter : fiber -> Dromos_kernel.Pool.context -> (unit -> unit) -> unit
(** The code of a fiber's next kernel task: resumes the fiber with the function,
    and then does {!run_all} and {!look_around}. *)

(** {1 Coming back} *)

val taker : entry list -> (string * (handle -> unit)) option
(** The function that takes back a fiber which waited under these actions, and
    the action's name for the wait; [None]: the fiber comes back at the root. *)

val come_back : worker -> entry list -> fiber -> (unit -> unit) -> unit
(** Makes a fiber runnable that waited under these actions on this worker. Any
    thread may call the function. *)

val release : handle -> unit
(** Hands the fiber to the run's hub, or to the worker that it is pinned to: the
    fiber goes on at the root. Any thread may call [release]. *)

val give_up : directive -> bool
(** Sends the fiber of a directive that no worker will carry out to the root.
    [false] if the directive was carried out, or runs no fiber. *)

val set_aside : worker -> unit -> unit
(** Takes all actions off the stack; the result puts the actions back. For a
    thread that lends the worker to another thread: see {!Parking}. *)
