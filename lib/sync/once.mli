(** A cell that is closed once, with a value, and tells all its listeners: the
    common core of promises and of cancellation.

    Listeners are callbacks. Listening, leaving and closing are lock-free and
    callable from any thread. Callbacks run in the closing thread, oldest first,
    and must neither block nor raise.

    {b Leaving costs O(1)}: the listener's cell is emptied, and empty cells are
    swept when listeners are added. Room is bounded however long listeners come
    and leave: at most twice the number of listeners present at the last sweep,
    plus 16 cells.

    Memory ordering: the actions of the closing thread before {!close} happen
    before the actions of a callback, or of a caller that saw the value.

    Checked: dscheck (listen, leave and close in every order; exactly one
    {!close} wins; a listener that did not leave is called exactly once),
    qcheck-stm through {!Promise}.

    @canonical Dromos_sync.Author.Once *)

type 'a t

type 'a listener
(** The cell of one callback. *)

val create : unit -> 'a t
val peek : 'a t -> 'a option

val is_closed : 'a t -> bool
(** One atomic read. *)

val closed : 'a -> 'a t
(** Closed from the start. *)

val nobody : 'a listener
(** A listener that has left. *)

val listen : 'a t -> ('a -> unit) -> 'a listener
(** [listen t f] has [f] called with the value when the cell is closed. If the
    cell is closed already, nothing is kept, and the result is {!nobody}: read
    the value with {!peek}. *)

val leave : 'a listener -> unit
(** A {!close} that starts afterwards does not call the callback. A {!close}
    running at the same time may call the callback once. Idempotent. *)

val close : 'a t -> 'a -> bool
(** [true] for the one call that closed the cell. All callbacks have run when
    this call returns. *)
