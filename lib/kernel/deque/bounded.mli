(** A work-stealing deque of bounded capacity: Chase and Lev's circular array.

    The {e owner}, one thread at a time, pushes and pops at the back; any number
    of {e thieves} steal from the front, at the same time.

    {b Specification.} Linearizable, in the strong sense: {!pop} and {!steal}
    return [None] only if the deque was empty at some moment during the call (a
    thief that loses a race tries again), and {!push} returns [false] only if it
    was full. Everything is constant time, {!sweep} amortized, except that a
    thief may retry; each retry means that somebody else took an item. Nothing
    blocks, nothing raises.

    {b Memory.} A popped value is forgotten at once; a stolen one stays
    reachable from the deque until the owner's next operation, or {!sweep}.

    {b Steal-half} is out: with a single compare-and-set on the front it would
    need the owner to synchronize on every pop, and the oldest task of a fork
    tree is about half of the work already. {b Continuation stealing} is out at
    this level, which stores values of any type; whether a task is a child or a
    continuation is for whoever pushes it to choose.

    Source: Chase and Lev, SPAA 2005; the strong specification: Parabs, section
    3.

    {b Checked.}
    - proved (proofs/deque/bounded.v): all;
    - model-checked (test/deque): [push], [pop], [steal], [sweep];
    - tested (test/deque): all. *)

type 'a t

val create : capacity:int -> dummy:'a -> 'a t
(** An empty deque for at least [capacity] items (rounded up to a power of two,
    at least 1). [dummy] fills the slots that hold nothing; it is never
    returned. *)

val capacity : 'a t -> int

(** {1 For the owner} *)

val push : 'a t -> 'a -> bool
(** Adds at the back; [false] if the deque is full. *)

val pop : 'a t -> 'a option
(** Takes the newest item. *)

val sweep : 'a t -> unit
(** Forgets the stolen values. Every [push] and [pop] does; call it before doing
    nothing for long. *)

val size : 'a t -> int
(** At least the number of items, exactly if no thief comes meanwhile. Other
    threads may call it: for them it is a recent value, never negative. *)

val is_empty : 'a t -> bool
(** [size t = 0]. *)

(** {1 For thieves} *)

val steal : 'a t -> 'a option
(** Takes the oldest item. From any thread. *)
