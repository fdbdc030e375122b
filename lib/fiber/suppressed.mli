(** Failures that came after the one that is raised: they are attached to its
    exception. The public part is documented in [Dromos.suppressed]. Internal.

    A table of ephemerons, by the identity of the exception, under a lock: an
    entry goes with its exception. Nothing here is called unless two parts of
    one scope, or of one fork, have failed. From anywhere; nothing raises. *)

type failure = exn * Printexc.raw_backtrace

val attach : exn -> failure list -> failure list
(** [attach e failures] adds the failures to those of [e], and returns those
    that [e] cannot carry: all of them if [e] is a constant exception
    ([Not_found]), which is one value for the whole program. A failure with the
    exception [e] itself, or one that [e] has already, is dropped, and so is a
    control exception ({!not_a_failure}). O(n + m) for n failures and the m that
    [e] has; [e] keeps the first {!most}. *)

val most : int

val of_exn : exn -> failure list
(** Oldest first. *)

val not_a_failure : (exn -> bool) -> unit
(** Makes exceptions known that a library of ours raises and catches itself, to
    leave a loop. Cancellations ([Dromos_suspend.is_cancellation]) are known
    from the start. *)
