(** Charts of servers under load, and of stalls. *)

val charts : Suite.t -> Row.t list -> (string * Chart.t) list
(** For the rows of one benchmark and size, what the charts are called and they
    themselves: each figure that is told of servers, over loads with the most
    workers measured, and over workers at the greatest load. None where there
    are fewer than two points to join. *)
