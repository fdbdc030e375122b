(** Picos fibers, under two of its schedulers: where Picos is installed. *)

val kinds : Matrix.Party.kind list
