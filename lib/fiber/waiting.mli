(** The reason of a fiber's wait, stored in the fiber during the wait, and the
    registry of the fibers that have ever waited. Internal.

    The notes serve messages ({!Deadlock}) and schedule nothing. A note costs a
    suspension some nanoseconds; forks that no worker takes and tasks that run
    through pay nothing. [DROMOS_DEBUG=1] also notes where a fiber was made and
    where the fiber waits, which costs microseconds. *)

open Types

(** {1 For the fiber, or its worker} *)

val suspends : ?reason:string -> Fiber.t -> unit
(** The fiber is about to wait, for the reason just given to
    {!Dromos_suspend.suspend} unless [reason] is given. *)

val reason : Fiber.t -> string -> unit
(** A better reason for the wait that has begun; called before any other thread
    can resume the fiber. *)

val queues : Fiber.t -> string -> unit
(** The fiber is runnable and a scheduler has its handle; the string says what
    the fiber waits for (the action's [turn]). Called by the fiber's worker. *)

val begins : Fiber.t -> unit
(** {!queues}, of a new fiber that waits for its start. *)

val goes_on : Fiber.t -> unit
(** The wait is over: the fiber is runnable, or runs. Called by the thread that
    resumes the fiber, before the fiber is published. *)

val over : Fiber.t -> unit
(** The fiber has ended. Called by the fiber's worker. *)

val for_tasks : string
(** The reason that a scope's body gives when it waits for the scope's tasks. *)

(** {1 For any thread} *)

val waits : Fiber.t -> bool
(** [true]: the fiber waits. [false]: the fiber was resumed, and runs or is
    about to run. *)

val has_ended : Fiber.t -> bool
(** [true]: the fiber has ended. Exact for fibers that have waited or had a
    handle. *)

val for_its_tasks : Fiber.t -> bool
(** [true]: the fiber waits for the tasks of its scope. *)

val alive : run -> Fiber.t list
(** The fibers that have waited and have not ended, by age. A snapshot, exact if
    none of the run's fibers is resumed or suspends meanwhile. *)

val gone : run -> int
(** The number of fibers that were collected while they waited: no thread could
    have resumed them. Exact after a full major collection, under the same
    condition. *)

val pp_as : awake:string -> Format.formatter -> Fiber.t -> unit
(** {!pp}, with [awake] as the text for a fiber that does not wait. *)

val pp_details : Format.formatter -> Fiber.t -> unit
(** The end of such a line: how long the fiber has waited, and where; may be
    empty. *)

val pp : Format.formatter -> Fiber.t -> unit
(** Prints one line: the fiber, the reason of the wait, at least how long the
    wait has lasted, and, in the debug mode, where the fiber waits. *)
