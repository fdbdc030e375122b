(** Picos fibers, under two of Picos's schedulers: where Picos is installed. *)

val kinds : Matrix.Party.kind list
