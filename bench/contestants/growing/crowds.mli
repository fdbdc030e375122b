(** Growth of crowds: [n] fibers wait in the line of one structure; then the
    structure serves all fibers, or all fibers leave the line. *)

val jobs : workers:int -> (string * Bench_core.Contestant.job) list
