(** How many parts of a scope are not over, and its body waiting for the rest.

    Lock-free. Checked: dscheck (the body is woken exactly when the count falls
    to zero, and no one enters afterwards). *)

type t

val create : unit -> t
(** One part: the body. *)

val enter : t -> bool
(** One part more; [false] if the count was zero: it stays so. *)

val exit : t -> unit
(** A part that {!enter}ed is over. Wakes the body if it was the last. *)

val body_over : t -> bool
(** The body's own exit, once; [true] if other parts are left, to be waited for
    with {!block}. *)

val block : t -> unit Dromos_suspend.resumer -> unit option
(** For {!Dromos_suspend.suspend}, by the body, once. *)
