(** Charts of servers under load, and of stalls. *)

val charts : Suite.t -> Row.t list -> (string * Chart.t) list
(** The charts for the rows of one benchmark and size, with their names: each
    figure of servers over loads, with the most workers measured, and over
    workers, at the greatest load. No chart with fewer than two points. *)
