(** Ctrl-C, for a program in the middle of parallel work.

    The signal's handler runs on whichever domain reaches a safe point first,
    perhaps inside the scheduler, so it only raises a flag. Every piece of work
    looks at the flag before it starts; the exception then takes the way of any
    other one: it cancels what stands beside it and comes out of the run. *)

exception Stopped

val install : unit -> unit
(** From now on Ctrl-C sets the flag; a second Ctrl-C ends the process at once,
    with status 130. *)

val check : unit -> unit
(** Raises {!Stopped} once the flag is set. From any domain; one atomic read. *)
