(** Write-once cells with callbacks, for kernel tasks.

    Source: Parabs, section 9.1. ['ctx] is what the setter hands to the
    callbacks (a worker's context). Linearizable, lock-free; callbacks run on
    the setter's stack, after the value is visible.

    {b Checked.}
    - proved (proofs/base/ivar_atomic.v): all;
    - model-checked (test/base): [create], [wait], [set], [is_set], [peek];
    - tested (test/base): all. *)

type ('ctx, 'a) t

val create : unit -> ('ctx, 'a) t

val wait : ('ctx, 'a) t -> ('ctx -> 'a -> unit) -> 'a option
(** [wait t f] is the value if there is one; otherwise [f] is kept, and will be
    called exactly once by the setter. Never blocks; lock-free. *)

val set : 'ctx -> ('ctx, 'a) t -> 'a -> bool
(** Sets the value and calls every callback, oldest first. [false], and nothing
    is done, if it was already set. *)

val is_set : ('ctx, 'a) t -> bool
val peek : ('ctx, 'a) t -> 'a option
