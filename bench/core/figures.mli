(** Figures that a job reports, beside its time. *)

val tell : string -> float -> unit
(** Reports a figure, in place of an earlier figure of the same name. *)

val all : unit -> (string * float) list
