(** A parallel binding taken apart: each step does what the one before does, and
    something more; the last is [Stealing.Ctx.pval] but for what follows a
    steal. For one vproc, on which nobody steals. *)

type ctx = Dromos_fiber.Fiber.t

val closures : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** The calls of the two parts. *)

val ivar : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a variable for the value, with the code that would read it. *)

val frame : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a latent frame with that code on the fiber: stealable work, of which a
    fiber would be made if somebody asked. *)

val poll : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a look whether somebody asks, or cancels. *)

val handler : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** And a handler of exceptions, which would cancel the body. *)

val deque : ctx -> (ctx -> 'a) -> (ctx -> (unit -> 'a) -> 'b) -> 'b
(** [ivar], and the code pushed onto a deque and popped again: what a latent
    frame saves. *)
