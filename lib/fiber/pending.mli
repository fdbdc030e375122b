(** The number of parts of a scope that are not over, and the waiting body of
    the scope.

    Lock-free. Checked: dscheck (the body is woken exactly when the count falls
    to zero, and no part enters afterwards). *)

type t

val create : unit -> t
(** A count with a single part: the body. *)

val enter : t -> bool
(** Adds a part; [false] if the count was zero: the count stays zero. *)

val exit : t -> unit
(** A part that {!enter}ed is over. The last part wakes the body. *)

val body_over : t -> bool
(** The exit of the body, once; [true] if other parts are left: the body waits
    with {!block}. *)

val block : t -> unit Dromos_suspend.resumer -> unit option
(** The body of the wait ({!Dromos_suspend.suspend}); called by the scope's
    body, once. *)
