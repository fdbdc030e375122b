(** A work-stealing deque of bounded capacity: Chase and Lev's circular array.

    The {e owner}, one thread at a time, pushes and pops at the back. Any number
    of {e thieves} steal from the front at the same time.

    {b Specification.} Linearizable, in a strong sense: {!pop} and {!steal}
    return [None] only if the deque was empty at some moment during the call (a
    thief that loses a race tries again), and {!push} returns [false] only if
    the deque was full. Every operation takes constant time ({!sweep}
    amortized), except that a thief may retry; a thief retries only if another
    thread took an item. No operation blocks or raises.

    {b Memory.} The deque forgets a popped value at once. A stolen value stays
    reachable from the deque until the owner's next operation or the next
    {!sweep}.

    {b Steal-half} is left out. With a single compare-and-set on the front, the
    owner would have to synchronize on every pop, and the oldest task of a fork
    tree is about half of the work already. {b Continuation stealing} is left
    out at this level, since the deque stores values of any type: the caller of
    {!push} chooses whether a task is a child or a continuation.

    Source: Chase and Lev, SPAA 2005; the strong specification: Parabs, section
    3.

    {b Checked.}
    - proved (proofs/deque/bounded.v): all;
    - model-checked (test/deque): [push], [pop], [steal], [sweep];
    - tested (test/deque): all. *)

type 'a t

val create : capacity:int -> dummy:'a -> 'a t
(** An empty deque for at least [capacity] items (rounded up to a power of two,
    at least 1). [dummy] fills the slots that hold no item; no operation returns
    [dummy]. *)

val capacity : 'a t -> int

(** {1 For the owner} *)

val push : 'a t -> 'a -> bool
(** Adds an item at the back. Returns [false] if the deque is full. *)

val pop : 'a t -> 'a option
(** Takes the newest item. *)

val sweep : 'a t -> unit
(** Forgets the stolen values. Every [push] and [pop] sweeps too; an owner calls
    [sweep] before it leaves the deque alone for long. *)

val size : 'a t -> int
(** At least the number of items when the owner asks, and exact if no thief
    comes during the call. Other threads get a recent value, never negative. *)

val is_empty : 'a t -> bool
(** [size t = 0]. *)

(** {1 For thieves} *)

val steal : 'a t -> 'a option
(** Takes the oldest item. Any thread may call [steal]. *)
