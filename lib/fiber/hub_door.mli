(** Which thread may use a run's hub as a worker at this moment: the only writer
    of [hub_open] and [visited] of {!Fiber.type-local}. Internal.

    A hub takes the operations of worker [i] from one thread at a time. That is
    the thread that serves in the role: in a fiber the door is open, and each
    operation of the hub closes it behind itself, so that a signal handler or a
    finaliser that interrupts the operation finds it closed and submits its
    tasks from outside instead. The thread's companion ({!Companion}) may go
    through the open door too, when the thread stands at a poll point; until the
    companion is out again the thread finds the door closed.

    Both are threads of one domain, which alternate at poll points only, so
    plain fields are enough: no poll point separates a look from its store. *)

val is_open : Fiber.local -> bool

val enter : Fiber.local -> bool
(** [true]: the door was open, and is closed behind the caller, who {!leave}s.
*)

val leave : Fiber.local -> unit

val open_ : Fiber.local -> unit
(** A fiber begins or goes on. By the thread that serves. *)

val close : Fiber.local -> unit
(** The fiber has left the thread. Waits for the companion if it is inside,
    which takes the time of one operation of the hub. By the thread that serves.
*)

val visit : Fiber.local -> (unit -> unit) -> unit
(** By the companion: calls the function inside, unless the door is closed. The
    function must not raise. *)
