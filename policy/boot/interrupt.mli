(** Handles signals that end the program (those of Ctrl-C, [kill], a closed
    terminal). Before the program ends, temporary files are removed and started
    programs are stopped. *)

exception By of int
(** The signal, with its number in {!Sys}. *)

val heard : (unit -> 'a) -> 'a
(** Runs a function that such a signal ends. A second signal is ignored.
    @raise By at the point where the signal came *)

val put_off : (unit -> 'a) -> 'a
(** Runs a function that no signal interrupts. A signal takes effect at the next
    {!late}, or at the end of a {!protect}. For actions that must not be half
    done, such as starting a program. *)

val late : unit -> unit
(** Raises {!By} if a signal was put off. *)

val protect : finally:(unit -> unit) -> (unit -> 'a) -> 'a
(** Works like {!Fun.protect}; a signal does not interrupt [finally], and takes
    effect after it. *)
