(** A work-stealing deque without bound: Chase and Lev's circular array, which
    grows when it is full and shrinks when it is nearly empty.

    Roles, specification and memory are those of {!Bounded}, except that {!push}
    always succeeds. Everything is constant time, amortized over the resizings
    and {!sweep}s; only the owner resizes, and thieves never wait for it.

    A [push] and the [pop] after it cost one sequentially consistent store each;
    the rest is mostly the collector's write barrier, about half of it the price
    of forgetting at once what was popped.

    An array that was replaced is garbage, but for the thieves that are reading
    it at that moment: it keeps its values alive for the length of one [steal].

    Source: Chase and Lev, SPAA 2005; the strong specification: Parabs, section
    3.

    {b Checked.}
    - proved (proofs/deque/dynamic.v): all;
    - model-checked (test/deque): [push], [pop], [steal], [sweep];
    - tested (test/deque): all. *)

type 'a t

val create : capacity:int -> dummy:'a -> 'a t
(** An empty deque. [capacity] (rounded up to a power of two, at least 1) is
    where it starts and what it never shrinks below. [dummy] fills the slots
    that hold nothing; it is never returned. *)

val capacity : 'a t -> int
(** The current one. *)

(** {1 For the owner} *)

val push : 'a t -> 'a -> unit
(** Adds at the back. *)

val pop : 'a t -> 'a option
(** Takes the newest item; [None] only if there was none at some moment during
    the call. *)

val sweep : 'a t -> unit
(** Forgets the stolen values. Every [push] and [pop] does; call it before doing
    nothing for long. *)

val size : 'a t -> int
(** A recent number of items, never negative; exact for the owner while no thief
    comes. Other threads may call it. *)

val is_empty : 'a t -> bool
(** [size t = 0]. *)

(** {1 For thieves} *)

val steal : 'a t -> 'a option
(** Takes the oldest item, from any thread; [None] only if there was none at
    some moment during the call. *)
