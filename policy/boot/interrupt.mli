(** Signals that end the program (those of Ctrl-C, [kill], a closed terminal):
    what is temporary is removed and what was started is stopped first. *)

exception By of int
(** The signal, as {!Sys.signal} numbers it. *)

val heard : (unit -> 'a) -> 'a
(** Runs a function that such a signal ends. A second signal changes nothing.
    @raise By where the signal came *)

val put_off : (unit -> 'a) -> 'a
(** A signal does not come into the function: it comes at the next {!late}, or
    at the end of a {!protect}. For what must not be half done, as starting a
    program. *)

val late : unit -> unit
(** Raises {!By} if a signal was put off. *)

val protect : finally:(unit -> unit) -> (unit -> 'a) -> 'a
(** As {!Fun.protect}; a signal does not come into [finally], but after it. *)
