(** The handler of fibers: what each effect of a fiber does. Owner of
    [suspensions] of {!Types.type-worker}. Internal.

    Every fiber runs under this handler, on a worker's thread, inside one kernel
    task. The handler's code runs on the scheduler's stack. A suspended fiber is
    a continuation that a resumer holds, and comes back as another kernel task.

    Effects of Dromos: [Suspend], [Shielded] and [Self] of {!Dromos_suspend},
    and {!Yield} and {!Capture}. Other effects go to {!Guest}, and then, from a
    branch, to the handler around the fork ({!Carried}). *)

open Types

type _ Effect.t +=
  | Yield : unit Effect.t
  | Capture : (handle -> directive) -> unit Effect.t
        (** Passes the calling fiber's handle to the function; the worker then
            carries out the directive that the function returns. The function
            runs on the worker's own stack, as a new fiber, which owns an action
            that the function puts on the stack. The function must not wait or
            yield. *)

val handle : 'b Effect.t -> (('b, unit) Effect.Deep.continuation -> unit) option
(** The handler's function, given to {!Slice.tie}. *)
