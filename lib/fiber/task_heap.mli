(** The heaps of tasks, where the program is linked on the runtime that has them
    (package [dromos-heap], [-runtime-variant _hh]). On stock OCaml {!here} is
    false and nothing else of this is called. Internal.

    There a branch that a worker takes has a heap of its own, and so has the
    first fiber of a run: it is collected without asking anybody, goes along
    when the fiber goes on in another domain, and becomes part of the joining
    fiber's when it is joined. What the branch was given and what it returns is
    kept by the runtime, so that the queues in between, which all domains share,
    make nothing of it shared. See heap/runtime/task.c.

    After Arora, Westrick and Acar, "Efficient parallel functional programming
    with effects" (PLDI 2023). Every function takes a time that does not depend
    on how much there is in the heap, but for {!fork}, which publishes what the
    branch can reach (each object once), and {!join}, a step for each 256 KiB.
    By the domain that runs the fiber in question, unless said otherwise. *)

val here : bool

type t = private int
(** A fiber's; an immediate. *)

val none : t
(** Of fibers that run in their domain's heap. *)

val enter : t -> unit
(** This domain allocates there from now on; [none]: in its own. The heap is
    made by the first call; none is while there is only one in the program,
    unless it is to be there early ({!make}). *)

val has_heap : t -> bool
(** It has been made. *)

(** {1 Branches} *)

type ('code, 'result) record = private int
(** What the runtime keeps of a task. It is gone after {!join}, or when it was
    withdrawn: {!take} fails then. *)

val no_record : ('code, 'result) record

val make : several:bool -> (unit, 'result) record
(** Of a run's first fiber; with several workers it gets a heap though there is
    one domain yet, so that what it makes before it forks is its own. *)

val task : ('code, 'result) record -> t

val may_fork : t -> bool
(** This domain allocates in it, or it has not been made. *)

val share : 'a -> unit
(** Everybody may have this from now on. What both the queues and the branch
    have of a fork is shared before {!fork}: else it is first published for the
    branch alone, and then again, which takes microseconds. *)

val fork : t -> 'code -> ('code, 'result) record
(** By the fiber with this heap: a branch that may be taken. *)

val withdraw : t -> ('code, 'result) record -> bool
(** By who joins it, a fiber with this heap: [true] if nobody has taken it, and
    nobody will. That is who forked it, unless the program has captured what
    runs inside of the fork, and resumed it elsewhere. *)

val take : ('code, 'result) record -> bool
(** By a worker, once. *)

val code : ('code, 'result) record -> 'code
(** By the task that has taken it, once, in its own heap. *)

val finish : ('code, 'result) record -> 'result -> unit
(** By the task at its end: it has its result, and leaves its heap. *)

val join : t -> ('code, 'result) record -> 'result
(** By who joins it, after that, once: its result, and its heap. *)

(** {1 Suspending} *)

type ('a, 'b) kept
(** A continuation, kept by the runtime if the fiber has a heap. *)

val suspend : t -> ('a, 'b) Effect.Deep.continuation -> ('a, 'b) kept
(** On the stack below the fiber's: leaves its heap. *)

val resume : ('a, 'b) kept -> ('a, 'b) Effect.Deep.continuation
(** Enters it, on any domain; once. *)
