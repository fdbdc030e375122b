(** A progress bar on a terminal, fed by many domains.

    Nobody owns the screen: whoever makes a step and finds that the last drawing
    is old draws, after winning a compare-and-set for it, so at most one in 50
    ms does. The line is on standard error and is wiped at the end. *)

type t

val create : enabled:bool -> t
(** [enabled:false], or a standard error that is not a terminal: nothing is ever
    written. *)

val none : t
(** Draws nothing. *)

val phase : t -> string -> int -> unit
(** [phase t name total]: what is done now, and how many steps it takes; 0 if
    that is not known. By one fiber, between phases. *)

val step : t -> int -> unit
(** Some steps are done. From any domain; a fetch-and-add and a look at the
    clock. *)

val reached : t -> int -> unit
(** So many steps are done, by a count that is kept elsewhere. *)

val wipe : t -> unit
(** Takes the line off the screen. *)
