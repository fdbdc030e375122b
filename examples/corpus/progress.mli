(** A progress bar on a terminal, fed by many domains.

    The domain that makes a step draws the bar, if the last drawing is 50 ms old
    and the domain wins a compare-and-set. The line is on standard error;
    {!wipe} removes the line at the end. *)

type t

val create : enabled:bool -> t
(** The bar draws nothing if [enabled] is [false] or standard error is no
    terminal. *)

val none : t
(** A bar that draws nothing. *)

val phase : t -> string -> int -> unit
(** [phase t name total] begins a phase with this name and [total] steps; 0 if
    the number is not known. One fiber calls [phase], when no step is under way.
*)

val name : t -> string
(** The name of the phase. *)

val step : t -> int -> unit
(** [step t n] adds [n] finished steps. Any domain may call [step]. Cost: a
    fetch-and-add, and a look at the clock. *)

val reached : t -> int -> unit
(** [reached t n]: [n] steps are finished in all. For a caller that counts the
    steps. *)

val wipe : t -> unit
(** Removes the line from the screen. *)
