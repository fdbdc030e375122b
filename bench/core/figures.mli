(** Figures that a job tells of itself, beside its time. *)

val tell : string -> float -> unit
(** In place of what was told under that name before. *)

val all : unit -> (string * float) list
