(** Wait queues (lines): persistent first-in, first-out queues whose elements
    can be {e gone}.

    The state of every structure with waiting tasks is one immutable value in
    one atomic word, and the structure's wait queues are part of the value. All
    functions are pure, apart from a memo (below). A change takes place when the
    structure's compare-and-set installs the new queue.

    {b Leaving is O(1)}: the owner of an element marks the element as gone,
    outside the queue. A queue is swept of gone elements as it grows. A queue
    never holds more than twice the elements present at its last sweep, plus 16.

    {b Cost.} {!push} and {!val-view} do O(1) work between the read of the
    structure's word and the compare-and-set, whatever the length of the queue.
    Reversing and sweeping are linear. Both are postponed: the structure first
    installs a batch, and the batch is put in order outside the time between
    read and compare-and-set, once per domain at most. Amortized, the cost is
    O(1) per element. A flood of new waiters therefore cannot starve the threads
    that serve the queue.

    Sources: the two-list queue with a suspended reversal (Okasaki,
    {e Purely functional data structures}, 5.2 and 6.3); elements cancelled in
    O(1) as in CQS (Koval, Khalanskiy, Alistarh, arXiv 2111.12682). CQS numbers
    its cells with fetch-and-add counters and repairs the numbering after
    cancellations. One immutable state needs no repair, and lets an operation
    take part in a select.

    @canonical Dromos_sync.Author.Line *)

type 'a t

val empty : 'a t

val is_empty : 'a t -> bool
(** [is_empty t] is [true] if the queue has no elements at all, gone or not. *)

val has_first : gone:('a -> bool) -> 'a t -> bool
(** If [has_first t] is [true], {!val-view} is [First]. If [false], [view] may
    be anything. Allocates nothing. *)

val push : gone:('a -> bool) -> 'a t -> 'a -> 'a t
(** [push t x] adds [x] at the end. *)

val push_front : gone:('a -> bool) -> 'a t -> 'a -> 'a t

type 'a view =
  | Nobody
  | First of 'a * 'a t
      (** the first element that is not gone, and the elements behind it *)
  | Again of 'a t
      (** the same queue, put in order: install it in place of the old queue,
          and call [view] again *)

val view : gone:('a -> bool) -> 'a t -> 'a view

val extract : gone:('a -> bool) -> ('a -> bool) -> 'a t -> ('a * 'a t) option
(** [extract f t] is the first element that is not gone and satisfies [f], and
    the queue without the element. Linear. *)

val exists : gone:('a -> bool) -> ('a -> bool) -> 'a t -> bool
(** [exists f t] is [true] if an element that is not gone satisfies [f]. Linear.
*)

val iter : gone:('a -> bool) -> ('a -> unit) -> 'a t -> unit
(** [iter f t] calls [f] with every element that is not gone, first to last.
    Linear. *)
