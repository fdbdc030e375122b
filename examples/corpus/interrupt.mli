(** Ctrl-C, for a program in the middle of parallel work.

    The signal handler runs on the first domain that reaches a safe point,
    perhaps inside the scheduler, so the handler only sets a flag. Every piece
    of work reads the flag before it starts, and raises. The exception is
    treated like any other: the tasks beside the piece are cancelled, and the
    run raises the exception. *)

exception Stopped

val install : unit -> unit
(** From now on Ctrl-C sets the flag; a second Ctrl-C ends the process at once,
    with status 130. *)

val check : unit -> unit
(** Raises {!Stopped} once the flag is set. Any domain may call [check]; it
    costs one atomic read. *)
