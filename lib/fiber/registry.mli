(** A bag that does not keep what is in it: each worker's fibers that have ever
    suspended, for whoever wants to know what waits ({!Deadlock}).

    Weak, so that a fiber which nobody can resume any more is collected with all
    it holds, as it would be without the bag, and its absence can be seen.

    One thread at a time adds, the worker; anybody may read at any time, and
    sees at least what was added before it was told to look. Nothing is shared
    between workers. {!add} is O(1) amortised, some tens of ns; the room taken
    is at most a small array of 32 for each entry that is left, plus twice that.
*)

type 'a t

val create : ?mark:'a -> unit -> 'a t
(** Allocates next to nothing until something is added. [mark] is the first
    element of every array of the bag, and no entry: it tells these arrays from
    the program's ({!Unreachable}). *)

val add : 'a t -> 'a -> unit

val added : 'a t -> int
(** How often {!add} was called. *)

val fold : ('b -> 'a -> 'b) -> 'b -> 'a t -> 'b
(** Over what has not been collected, in any order. *)
