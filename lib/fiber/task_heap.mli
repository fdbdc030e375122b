(** The heaps of tasks, for programs on the runtime with such heaps (package
    [dromos-heap], [-runtime-variant _hh]). Internal. The module chooses once,
    at its start, between that runtime's functions and those of stock OCaml,
    where tasks have no heaps: there every fiber has the heap {!none}, every
    record is {!no_record}, and the other functions do nothing.

    On the runtime with heaps a branch that a worker takes has a heap of its
    own, and so has the first fiber of a run. The fiber's domain collects the
    heap without asking other domains. The heap moves with the fiber to another
    domain, and becomes part of the joining fiber's heap at the join. The
    runtime keeps a branch's arguments and its result, so the hub's queues,
    which all domains share, publish neither. See heap/runtime/tasks/task.c.

    After Arora, Westrick and Acar, "Efficient parallel functional programming
    with effects" (PLDI 2023). The time of a function does not depend on the
    size of the heap, with two exceptions: {!fork} publishes the objects that
    the branch can reach (each object once), and {!join} takes a step for each
    256 KiB. The domain that runs the fiber calls the functions, unless a
    comment says otherwise. *)

val keeps_frames : bool
(** [true]: a fiber's heap has the fiber's fork frames, so only threads of the
    domain that runs the fiber may read the frames, and no value that the fiber
    publishes may lead to them. Implies that tasks have heaps. *)

type t = private int
(** A fiber's heap; an immediate. *)

val none : t
(** The heap of fibers that run in their domain's heap. *)

val enter : t -> unit
(** The domain allocates in this heap from now on; [none]: in the domain's own
    heap. The first call makes the heap. While the program has a single domain
    no heap is made, unless the record asks for an early heap ({!make}). *)

val has_heap : t -> bool
(** [true]: the heap was made. *)

(** {1 Branches} *)

type ('code, 'result) record = private int
(** The runtime's record of a task. The record ends with {!join} or {!withdraw};
    {!take} fails then. *)

val no_record : ('code, 'result) record

val make : several:bool -> (unit, 'result) record
(** The record of a run's first fiber. [several]: the run has several workers.
    The fiber then gets a heap although the program has a single domain so far,
    so that objects from before the first fork belong to the fiber. *)

val task : ('code, 'result) record -> t

val may_fork : t -> bool
(** [true]: this domain allocates in the heap, or the heap was not made yet. *)

val share : 'a -> unit
(** Publishes a value to all tasks. Values that both the queues and the branch
    hold are shared before {!fork}. Otherwise {!fork} publishes such a value for
    the branch alone, and the value is published a second time later, which
    takes microseconds. *)

val fork : t -> 'code -> ('code, 'result) record
(** Makes the record of a branch that may be taken. Called by the fiber with
    this heap. *)

val withdraw : t -> ('code, 'result) record -> bool
(** Withdraws a branch. [true]: no worker has taken the branch, and none will.
    Called by the joining fiber, with its heap. The joining fiber is the forking
    fiber, unless the program has captured the inside of the fork and resumed it
    elsewhere. *)

val take : ('code, 'result) record -> bool
(** Called by a worker, once. *)

val code : ('code, 'result) record -> 'code
(** The branch's code. Called by the task that has taken the branch, once, in
    the task's heap. *)

val finish : ('code, 'result) record -> 'result -> unit
(** Stores the task's result; the domain leaves the task's heap. Called by the
    task at its end. *)

val join : t -> ('code, 'result) record -> 'result
(** The result of a finished task; merges the task's heap into the given heap.
    Called by the joining fiber, once. *)

(** {1 Suspending} *)

type ('a, 'b) kept
(** A continuation; the runtime keeps the continuation if the fiber has a heap.
*)

val suspend : t -> ('a, 'b) Effect.Deep.continuation -> ('a, 'b) kept
(** Called on the stack below the fiber's: stores the continuation, and leaves
    the heap. *)

val resume : ('a, 'b) kept -> ('a, 'b) Effect.Deep.continuation
(** Takes the continuation, and enters the heap, on any domain; once. *)
