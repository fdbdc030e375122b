(** Whose quantum is over, by the clock; what is done about it: {!Preempt}, and
    safe points ({!Fork.poll}). Internal. *)

val set_due : Fiber.worker -> polled:bool -> at_once:bool -> unit
(** By the clock, with its lock. [polled] also has forks look; [at_once], which
    is for whatever the worker runs then, or next if a scheduler is just
    choosing it without having seen what is more urgent. *)

val next_piece : Fiber.worker -> unit
(** Another piece begins, and its quantum with it, unless it is to be preempted
    at once. By the worker. *)

val over : Fiber.worker -> unit
(** A scheduler is asked what to do next, or the fiber gives way. By the worker.
*)

val is_forced : Fiber.worker -> bool
(** Whether the running fiber is to be preempted at a poll point. *)

val is_over : Fiber.t -> bool
(** Whether the running fiber should let others go first. *)
