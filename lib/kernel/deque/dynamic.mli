(** A work-stealing deque without bound: Chase and Lev's circular array, which
    grows when the deque is full and shrinks when the deque is nearly empty.

    Roles, specification and memory are those of {!Bounded}, except that {!push}
    always succeeds. Every operation takes constant time, amortized over the
    resizings and {!sweep}s. The owner alone resizes, and thieves never wait for
    the owner.

    A [push] and the [pop] after it cost one sequentially consistent store each.
    The other cost is mostly the collector's write barrier; about half of the
    barrier's cost comes from clearing the slot at once after a pop.

    A replaced array is garbage, unless a thief is reading the array at that
    moment: then the array keeps its values alive for the length of one [steal].

    Source: Chase and Lev, SPAA 2005; the strong specification: Parabs, section
    3.

    {b Checked.}
    - proved (proofs/deque/dynamic.v): all;
    - model-checked (test/deque): [push], [pop], [steal], [sweep];
    - tested (test/deque): all. *)

type 'a t

val create : capacity:int -> dummy:'a -> 'a t
(** An empty deque. [capacity] (rounded up to a power of two, at least 1) is the
    initial capacity and the lower bound when the deque shrinks. [dummy] fills
    the slots that hold no item; no operation returns [dummy]. *)

val capacity : 'a t -> int
(** The current capacity. *)

(** {1 For the owner} *)

val push : 'a t -> 'a -> unit
(** Adds an item at the back. *)

val pop : 'a t -> 'a option
(** Takes the newest item. [None] only if the deque was empty at some moment
    during the call. *)

val sweep : 'a t -> unit
(** Forgets the stolen values. Every [push] and [pop] sweeps too; an owner calls
    [sweep] before it leaves the deque alone for long. *)

val size : 'a t -> int
(** A recent number of items, never negative. Exact for the owner if no thief
    comes during the call. Other threads may call [size]. *)

val is_empty : 'a t -> bool
(** [size t = 0]. *)

(** {1 For thieves} *)

val steal : 'a t -> 'a option
(** Takes the oldest item. [None] only if the deque was empty at some moment
    during the call. Any thread may call [steal]. *)
