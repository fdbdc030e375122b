(** A parallel binding taken apart: each step does the work of the step before,
    and something more. The last step is [Stealing.Ctx.pval] without the code
    for a steal. For one vproc, without thieves. *)

type ctx = Dromos_fiber.Fiber.t

val closures : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** The calls of the two parts. *)

val frame : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** Adds a latent frame with the second part on the fiber: stealable work, which
    becomes a fiber on request. *)

val poll : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** Adds a poll for steal requests and for cancellation. *)

val handler : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** Adds an exception handler, which would cancel the body. *)

(** {1 Without frames} *)

val cell : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** [closures], and the data for a thief is made before any request: a cell for
    the value, and the code that reads the cell. *)

val deque : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** Adds a push of that code onto a deque, and a pop. *)
