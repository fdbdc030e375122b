(** A variable that is empty or full, for tasks of every scheduler.

    {!put} fills it, waiting while it is full; {!take} empties it, waiting while
    it is empty; {!read} waits for a value and leaves it there. So it is a lock
    with its data inside, a hand-over between two tasks, or a channel with room
    for one message.

    First in, first out among those who put and among those who take: one value
    wakes one taker, and every reader that waits.

    Lock-free; for all tasks, systhreads, domains and callbacks. Who is
    cancelled, or times out, while it waits leaves in O(1), and has put or taken
    nothing. What happened before a put happens before what follows the take or
    the read of that value.

    {[
      # open Dromos_sync
      # let counter = Mvar.of_value 0 in
        let count () = for _ = 1 to 1000 do Mvar.update counter succ done in
        let d = Domain.spawn count in
        count ();
        Domain.join d;
        Mvar.read counter
      - : int = 2000
    ]}

    Sources: Barth, Nikhil, Arvind, {e M-structures} (FPCA 1991); Peyton Jones,
    Gordon, Finne, {e Concurrent Haskell} (POPL 1996). Checked, in
    test/sync/messages: qcheck-stm against a sequential model; qcheck-lin, where
    calls of [put] and [take] that wait are served or cancelled; stress, with
    cancellations and timeouts. *)

type 'a t

val create : ?name:string -> unit -> 'a t
(** Empty. [name] appears in reports of deadlocks. *)

val of_value : ?name:string -> 'a -> 'a t
(** Full. *)

val put : ?timeout:float -> 'a t -> 'a -> unit
(** Raises {!Event.Timeout} if it could not be done in [timeout] seconds; the
    value was then not put. *)

val take : ?timeout:float -> 'a t -> 'a
(** Raises {!Event.Timeout}. *)

val read : ?timeout:float -> 'a t -> 'a
(** The value, which stays where it is. Atomic: of several who put, the one
    whose value is read came after [read] was called, or its value was there;
    and whoever waits in [read] sees the next value that is put, even if a taker
    that waits too gets it at once (takers do not overtake readers). It is told
    just after the value was put: of several puts under way at once it sees one,
    perhaps not the first, and its own cancellation may come before. Raises
    {!Event.Timeout}. *)

val put_event : 'a t -> 'a -> unit Event.t
val take_event : 'a t -> 'a Event.t
val read_event : 'a t -> 'a Event.t

(** {1 Without waiting} *)

val try_put : 'a t -> 'a -> bool
(** [false] if it is full. *)

val try_take : 'a t -> 'a option
(** [None] if it is empty. *)

val peek : 'a t -> 'a option
(** The value, which stays where it is; [None] if it is empty. *)

val is_empty : 'a t -> bool
(** A snapshot. *)

(** {1 As a lock with its data} *)

val modify : ?timeout:float -> 'a t -> ('a -> 'a * 'b) -> 'b
(** [modify t f] takes the value [v], and puts back the first part of [f v]; if
    [f] raises, or is cancelled, it puts [v] back. Putting back never waits.
    [timeout] bounds the taking, not [f].

    Not atomic for those who put: while [f] runs the variable is empty, as for
    everyone. If somebody fills it meanwhile, the value put back goes before
    theirs, so that for once there are two: in order, neither lost. Where
    everyone uses [modify], or takes before it puts, that cannot happen, and
    modifications exclude each other. *)

val update : ?timeout:float -> 'a t -> ('a -> 'a) -> unit
(** {!modify} without a result. *)
