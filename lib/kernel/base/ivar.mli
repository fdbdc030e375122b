(** Write-once cells with callbacks, for kernel tasks.

    Source: Parabs, section 9.1. The setter hands a value of type ['ctx] to the
    callbacks: its worker's context. Linearizable, lock-free. The callbacks run
    on the setter's stack, after the value is visible.

    {b Checked.}
    - proved (proofs/base/ivar_atomic.v): all;
    - model-checked (test/base): [create], [wait], [set], [is_set], [peek];
    - tested (test/base): all. *)

type ('ctx, 'a) t

val create : unit -> ('ctx, 'a) t

val wait : ('ctx, 'a) t -> ('ctx -> 'a -> unit) -> 'a option
(** [wait t f] is the value if [t] is set. Otherwise [wait] keeps [f], and the
    setter calls [f] exactly once. [wait] never blocks; lock-free. *)

val set : 'ctx -> ('ctx, 'a) t -> 'a -> bool
(** Sets the value, calls every callback, oldest first, and returns [true]. If
    the cell was set before, [set] does nothing and returns [false]. *)

val is_set : ('ctx, 'a) t -> bool
val peek : ('ctx, 'a) t -> 'a option
