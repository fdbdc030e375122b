(** A parallel binding taken apart: each step does what the one before does, and
    something more; the last is [Stealing.Ctx.pval] but for what follows a
    steal. For one vproc, on which nobody steals. *)

type ctx = Dromos_fiber.Fiber.t

val closures : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** The calls of the two parts. *)

val frame : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a latent frame with the second one on the fiber: stealable work, of
    which a fiber would be made if somebody asked. *)

val poll : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a look whether somebody asks, or cancels. *)

val handler : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a handler of exceptions, which would cancel the body. *)

(** {1 Without frames} *)

val cell : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** [closures], and what a thief needs is made before anybody asks: a cell for
    the value, and the code that reads it. *)

val deque : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And that is pushed onto a deque and popped again. *)
