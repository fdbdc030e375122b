(** A cell that is closed once, with a value, and tells everyone who listens:
    the common core of promises and of cancellation.

    Listeners are callbacks. Listening, leaving and closing are lock-free and
    callable from anywhere; callbacks run in the closer, oldest first, and must
    neither block nor raise.

    {b Leaving costs O(1)}: the listener's cell is emptied, and empty cells are
    swept when listeners are added, so that adding and leaving for ever takes
    bounded room: at most twice the number of listeners that were there at the
    last sweep, plus 16 cells.

    Memory ordering: what the closer did before {!close} happens before what a
    callback, or a caller that saw the value, does after.

    Checked: dscheck (listen, leave and close in every order; exactly one closer
    wins; a listener that did not leave is called exactly once), qcheck-stm
    through {!Promise}. *)

type 'a t

type 'a listener
(** One callback's cell. *)

val create : unit -> 'a t
val peek : 'a t -> 'a option

val is_closed : 'a t -> bool
(** One atomic read. *)

val closed : 'a -> 'a t
(** Closed from the start. *)

val nobody : 'a listener
(** A listener that left. *)

val listen : 'a t -> ('a -> unit) -> 'a listener
(** [listen t f] has [f] called with the value when the cell is closed; if it is
    closed already nothing is kept, and {!nobody} is returned: the caller looks
    with {!peek}. *)

val leave : 'a listener -> unit
(** The callback will not be called by a {!close} that starts after this, and
    may be called once by one that runs at the same time. Idempotent. *)

val close : 'a t -> 'a -> bool
(** [true] for the one call that closed the cell; it has run every callback when
    it returns. *)
