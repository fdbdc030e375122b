(** One line on standard error that says how far a command is. It is drawn on a
    terminal only ([TERM=dumb] is none), so that files and pipes get no escape
    sequences. The terminal cuts the line at its width. Any thread or domain may
    draw: each drawing is one write. *)

val drawn : unit -> bool
(** Is there a terminal? *)

val under_launcher : unit -> unit
(** For a program whose parent forwards its standard error, as launchers of MPI
    do: the parent's terminal is the program's from here on, if the parent has
    one. Before other threads draw. Linux alone; elsewhere nothing is drawn. *)

val show : ('a, unit, string, unit) format4 -> 'a
(** In place of the line that was shown before. *)

val clear : unit -> unit
(** Before anything else is printed. *)
