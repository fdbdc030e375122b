(** Failures that came after the raised failure, attached to its exception.
    [Dromos.suppressed] documents the public part. Internal.

    The failures are kept in ephemerons under a lock, found by the identity of
    the exception: the collector frees an entry together with its exception. The
    table keeps the program's last thousand such exceptions; a look-up compares
    with each. Used only where two parts of a scope, or of a fork, failed. Any
    thread may call the functions; no function raises. *)

type failure = exn * Printexc.raw_backtrace

val attach : ?shown:bool -> exn -> failure list -> failure list
(** [attach e failures] adds [failures] to the list of [e], and returns the
    failures that [e] cannot carry: all of them if [e] is a constant exception
    ([Not_found]), since a constant is one value for the whole program. [attach]
    drops failures with the exception [e] itself, failures that the list has
    already, cancellations, and control exceptions ({!not_a_failure}). The list
    keeps the first {!most}; [Printexc.to_string e] names those that are [shown]
    (default: [true]). O(n + m) for n failures and a list of m. *)

val follow : what:string -> exn -> failure -> unit
(** [follow ~what e failure] attaches one failure. A failure that [e] cannot
    carry is reported as a failure of [what]. *)

val most : int

val of_exn : exn -> failure list
(** The list of an exception, oldest first. *)

val is_failure : exn -> bool
(** [true]: the exception is neither a cancellation nor a control exception. *)

val not_a_failure : (exn -> bool) -> unit
(** Declares control exceptions: a library of ours raises and catches these
    itself, to leave a loop. Cancellations ([Dromos_suspend.is_cancellation])
    are known from the start. *)
