(** Which contestants a verdict compares: by their names in rows, so that rows
    of a file can be judged too. *)

val of_ours : string -> string list option
(** [of_ours scheduler] are the peers that do the same work with another
    library, [Some []] where there is none and only the plain program is to be
    compared with. [None] if [scheduler] is not the way in which Dromos is meant
    to be used for that work: a peer, a plain program, or one of the contestants
    that show what a part costs. *)

val take_part : string -> bool
(** Whether a verdict needs the contestant: ours, a peer, or {!plain}. *)

val plain : string
(** ["sequential"]. *)

val capacity : string -> string
(** The capacity at the end of the name of a structure for messages; ["1"] for a
    rendezvous and for a structure without a bound, which are compared with the
    smallest queue. *)
