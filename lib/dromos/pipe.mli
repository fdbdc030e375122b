(** A bounded number of tasks carries items through stages. Internal:
    {!Pipeline} stands on this module and documents it.

    A run of a pipe has as many carriers as tokens. A carrier is a fiber, made
    when needed. A carrier takes the next number, makes the item of that number
    at the source, takes the item through all stages, gives the item to the
    sink, and takes another number. Items pass the source, serial stages and the
    sink in the order of their numbers ({!In_order}). While every turn is free,
    a worker takes an item from end to end; a carrier out of turn waits,
    suspended, with its item.

    {b The first failure.} A failed item waits until all older items have gone
    through the sink: then its failure is the first in the order of the source.
    Younger items go no further than their present stage. *)

type 'a t
(** A source and stages that make items of type ['a]. *)

val from : 'a Seq.t -> 'a t
val parallel : ('a -> 'b) -> 'a t -> 'b t
val filter_map : ('a -> 'b option) -> 'a t -> 'b t
val serial : ('a -> 'b) -> 'a t -> 'b t
val exclusive : ('a -> 'b) -> 'a t -> 'b t

val iter : call:string -> tokens:int option -> ('a -> unit) -> 'a t -> unit
(** Outside a run the caller takes the items one at a time. Raises
    [Invalid_argument] in the name of [call] if [tokens] is not positive. *)

val consume : call:string -> tokens:int option -> ('a Seq.t -> 'b) -> 'a t -> 'b
(** As {!iter} outside a run, and raises as {!iter} does. *)
