(** The contestants that a verdict compares, by their names in rows: rows of a
    file can be judged too, whatever is compiled in. *)

val of_ours : string -> string list option
(** [of_ours scheduler] are the peers that do the same work with another
    library; [Some []] where only the plain program does. [None] unless
    [scheduler] is the way in which Dromos is meant to be used for the work:
    peers, plain programs, and contestants that show the price of a part have
    [None]. *)

val take_part : string -> bool
(** Tells whether a verdict needs the contestant: ours, a peer, or {!plain}. *)

val plain : string
(** ["sequential"]. *)

val capacity : string -> string
(** [capacity structure] is the capacity at the end of the name of a structure
    for messages. ["1"] for a rendezvous and for a structure without a bound:
    the smallest queue is their measure. *)
