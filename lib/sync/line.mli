(** A persistent first-in first-out line of cells, some of which have gone.

    The state of every structure that makes tasks wait is one immutable value in
    one atomic word, and its lines of waiters are part of that value. All
    functions are pure, apart from a memo (below); a change takes place when the
    structure's compare-and-set installs the new line.

    {b Leaving is O(1)}: a cell that goes is marked by its owner, outside the
    line. Lines are swept of such cells as they grow, so that a line never holds
    more than twice the cells that were there at its last sweep, plus 16.

    {b Cost.} {!push} and {!val-view} do O(1) work between reading the
    structure's word and the compare-and-set, whatever the length of the line.
    Reversing and sweeping, which are linear, are put off into a batch that is
    installed first, and done outside that window, once per domain at most;
    amortized they cost O(1) a cell. A crowd that comes can thus not starve
    those who serve it.

    Sources: the two-list queue with a suspended reversal (Okasaki,
    {e Purely functional data structures}, 5.2 and 6.3); cells that are
    cancelled in O(1) as in CQS (Koval, Khalanskiy, Alistarh, arXiv 2111.12682).
    CQS numbers its cells with fetch-and-add counters and repairs what
    cancellation does to the numbering; one immutable state needs no repair, and
    lets an operation take part in a choice. *)

type 'a t

val empty : 'a t

val is_empty : 'a t -> bool
(** No cells at all, gone or not. *)

val has_first : gone:('a -> bool) -> 'a t -> bool
(** [true]: {!val-view} is [First]. [false]: [view] may be anything. Allocates
    nothing. *)

val push : gone:('a -> bool) -> 'a t -> 'a -> 'a t
(** At the end. *)

val push_front : gone:('a -> bool) -> 'a t -> 'a -> 'a t

type 'a view =
  | Nobody
  | First of 'a * 'a t
      (** the first cell that has not gone, and those behind *)
  | Again of 'a t
      (** the same line made ready: install it in place of this one, and look
          again *)

val view : gone:('a -> bool) -> 'a t -> 'a view

val extract : gone:('a -> bool) -> ('a -> bool) -> 'a t -> ('a * 'a t) option
(** The first cell that has not gone and satisfies the predicate, and the line
    without it. Linear. *)

val exists : gone:('a -> bool) -> ('a -> bool) -> 'a t -> bool
(** Whether some cell that has not gone satisfies the predicate. Linear. *)

val iter : gone:('a -> bool) -> ('a -> unit) -> 'a t -> unit
(** Every cell that has not gone, first to last. Linear. *)
