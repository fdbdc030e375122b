(** Messages of Dromos to people, on stderr. Internal to Dromos. *)

val print : string -> unit
(** Writes the text with [write(2)]: a thread may hold the lock of the channel
    [stderr]. Blocks while the reader of a pipe is slow; ignores a closed
    stderr. Callable from any thread and from signal handlers. *)

val failure :
  what:string -> ?runtime:string -> exn -> Printexc.raw_backtrace -> unit
(** {!print}s that [what], a part of that runtime, raised the exception, and the
    backtrace. *)
