(** The contestants of a verdict, by their names in rows. Rows from a file can
    be judged too, whatever contestants are compiled in. *)

val of_ours : string -> string list option
(** [of_ours scheduler] are the peers that do the same work with another
    library; [Some []] if the plain program is the only peer. [None] unless
    [scheduler] is the recommended use of Dromos for the work: peers, plain
    programs, and contestants that show the price of a part have [None]. *)

val take_part : string -> bool
(** Tells whether a verdict needs the contestant: a contestant of Dromos, a
    peer, or {!plain}. *)

val plain : string
(** ["sequential"]. *)

val capacity : string -> string
(** [capacity structure] is the capacity at the end of the name of a structure
    for messages. ["1"] for a rendezvous and for a structure without a bound:
    they are compared with the smallest queue. *)
