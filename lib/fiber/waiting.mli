(** What a fiber waits for, noted on the fiber itself while it does, and the
    registry of those that have ever waited. Internal.

    Kept for people ({!Deadlock}): nothing is scheduled by it. A note costs a
    suspension some nanoseconds; forks that nobody takes and tasks that run
    through pay nothing. [DROMOS_DEBUG=1] also notes where a fiber was made and
    where it waits, which costs microseconds. *)

open Fiber

(** {1 Making} *)

val info : ?kind:string -> ?name:string -> ?hands:hands -> unit -> info
(** For a task, or a fiber of that kind, that is being made by the caller. *)

val of_task : string option -> info
(** [info ?name ()]; shared if there is no name. *)

val branch : unit -> info
(** For a fork's branch. *)

val first : unit -> info
(** For a run's first fiber. *)

(** {1 By the fiber, or its worker} *)

val suspends : Fiber.t -> unit
(** It is about to wait, for what was just given to {!Dromos_suspend.suspend}.
*)

val queues : Fiber.t -> string -> unit
(** It is ready and in the hands of a scheduler, which is called that. By its
    worker. *)

val stands_at : Fiber.t -> (int -> Printexc.raw_backtrace) -> unit
(** Where: the callstack of so many entries. In the debug mode only. *)

val goes_on : Fiber.t -> unit
(** It waits no more: it is ready, or runs. By whoever resumes it, before it is
    published. *)

val over : Fiber.t -> unit
(** It has ended. By its worker. *)

val for_tasks : string
(** What a scope's body gives as its reason when it waits for the rest. *)

(** {1 By anybody} *)

val waits : Fiber.t -> bool
(** Whether it does; if not, it has been resumed, and runs, or is about to. *)

val for_its_tasks : Fiber.t -> bool
(** Whether it waits for the tasks of its scope. *)

val alive : run -> Fiber.t list
(** Those that have waited and have not ended, by age. A snapshot, exact if none
    of the run's fibers is resumed or suspends meanwhile. *)

val gone : run -> int
(** How many have been collected while they waited: nobody could have resumed
    them. Exact after a full major collection, under the same condition. *)

val pp_as : awake:string -> Format.formatter -> Fiber.t -> unit
(** {!pp}, with what is said of a fiber that does not wait. *)

val pp_details : Format.formatter -> Fiber.t -> unit
(** The end of such a line: for how long, where; [""] or more. *)

val pp : Format.formatter -> Fiber.t -> unit
(** One line: which, what for, for how long at least, and, in the debug mode,
    where. *)
