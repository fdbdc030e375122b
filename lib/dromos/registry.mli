(** A bag that does not keep what is in it: each worker's fibers that have ever
    suspended, for whoever wants to know what waits ({!Deadlock}).

    Weak, so that a fiber which nobody can resume any more is collected with all
    it holds, as it would be without the bag, and its absence can be seen.

    One thread at a time adds, the worker; anybody may read at any time, and
    sees at least what was added before it was told to look. Nothing is shared
    between workers. {!add} is O(1) amortised, some 10 ns: when the array is
    full the collected ones are swept out, and it doubles if more than half are
    left. *)

type 'a t

val create : unit -> 'a t
(** Allocates next to nothing until something is added. *)

val add : 'a t -> 'a -> unit

val added : 'a t -> int
(** How often {!add} was called. *)

val fold : ('b -> 'a -> 'b) -> 'b -> 'a t -> 'b
(** Over what has not been collected, oldest first. *)
