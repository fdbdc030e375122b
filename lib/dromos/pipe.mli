(** Items carried through stages by a bounded number of tasks. Internal: what
    {!Pipeline} and {!Par_seq} stand on, and document.

    A run of a pipe has as many carriers as there are tokens, fibers that are
    made as needed. A carrier takes the next number, makes the item of that
    number at the source, takes the item through all stages, gives the item to
    the sink, and takes another number. The source, serial stages and the sink
    are passed in the order of the numbers ({!In_order}). Hence a worker takes
    an item from end to end while every turn is free, and a carrier out of turn
    waits, suspended, with the item.

    {b The first failure.} A failed item waits until all older items have gone
    through the sink. The failure is the first one then. Younger items go no
    further than their present stage. *)

type 'a t
(** Items of ['a], and how they are made. *)

val from : 'a Seq.t -> 'a t
val parallel : ('a -> 'b) -> 'a t -> 'b t
val filter_map : ('a -> 'b option) -> 'a t -> 'b t
val serial : ('a -> 'b) -> 'a t -> 'b t
val exclusive : ('a -> 'b) -> 'a t -> 'b t

val iter : call:string -> tokens:int option -> ('a -> unit) -> 'a t -> unit
(** Outside a run an item at a time, by the caller. Raises [Invalid_argument] in
    the name of [call] if [tokens] is not positive. *)

val consume : call:string -> tokens:int option -> ('a Seq.t -> 'b) -> 'a t -> 'b
(** Likewise. *)
