(** The worker's mark for a quantum that is over. The clock sets the mark;
    {!Preempt} and the safe points ({!Fork.poll}) act on the mark. Internal. *)

val set_due : Types.worker -> polled:bool -> at_once:bool -> unit
(** Marks the worker. Called by the clock, with its lock held. [polled]: forks
    look too. [at_once]: the mark counts for the piece that the worker runs at
    that moment. If a scheduler is just choosing a piece, and has not seen a
    more urgent piece, the mark counts for the next piece. *)

val next_piece : Types.worker -> unit
(** Called by the worker when another piece begins. The piece gets a fresh
    quantum, unless the mark is [at_once]. *)

val over : Types.worker -> unit
(** Clears the mark. Called by the worker when a scheduler chooses the next
    piece, or when the fiber gives way. *)

val is_forced : Types.worker -> bool
(** [true]: the running fiber is to be preempted at a poll point. *)

val is_over : Fiber.t -> bool
(** [true]: the running fiber should let other fibers go first. *)
