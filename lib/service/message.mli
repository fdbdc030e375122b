(** What Dromos itself tells people. Internal to Dromos. *)

val print : string -> unit
(** Writes the text on stderr, past the channel, whose lock somebody may hold.
    Blocks while a slow reader does; a closed stderr is no error. From any
    thread, and from signal handlers. *)

val failure :
  what:string -> ?runtime:string -> exn -> Printexc.raw_backtrace -> unit
(** Prints that [what], of that runtime, raised the exception, and its
    backtrace, in one {!print}. *)
