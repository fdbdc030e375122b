(** Whose quantum is over, by the clock; what is done about it: {!Preempt}, and
    safe points ({!Fork.poll}). Internal. *)

val forced : int
(** What [due] is for a forced preemption. *)

val set_due : Fiber.worker -> polled:bool -> unit
(** By the clock. [polled] also has forks look. *)

val over : Fiber.worker -> unit
(** Another piece begins. By the worker. *)

val is_over : Fiber.t -> bool
(** Whether the running fiber should let others go first. *)
