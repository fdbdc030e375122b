(** A line on standard error that shows the progress of a command. The line is
    drawn on a terminal only ([TERM=dumb] is no terminal), so that files and
    pipes get no escape sequences. The terminal cuts the line at its width. Any
    thread or domain may draw: each drawing is a single write. *)

val drawn : unit -> bool
(** True if standard error is a terminal. *)

val under_launcher : unit -> unit
(** For a program whose parent forwards its standard error, as launchers of MPI
    do: from now on, the program draws on the parent's terminal, if the parent
    has a terminal. Call [under_launcher] before other threads draw. Linux only;
    elsewhere no line is drawn. *)

val show : ('a, unit, string, unit) format4 -> 'a
(** Draws the line, in place of the line before. *)

val clear : unit -> unit
(** Removes the line. Call [clear] before any other output. *)
