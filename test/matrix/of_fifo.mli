(** Fibers of [Dromos_fifo], in a run on a domain of its own. *)

val kind : Party.kind
