(** The common core of {!Channel}, {!Mvar} and {!Stream}: a message queue with
    waiting senders and receivers. For authors of structures.

    The queue holds at most [capacity] messages. When the queue is full, senders
    wait with their messages in a second queue behind the first. Receivers wait
    when there is no message. Messages are received in the order in which their
    senders came; senders and receivers are also served in order of arrival.
    With capacity 0 a message passes directly from a sender to a receiver, and
    each waits for the other.

    Lock-free; callable from any task, thread or callback. The actions of a
    sender before sending happen before the actions of the receiver after
    receiving the message. With a bounded capacity, receiving a message happens
    before the return of the send that gets the free place.

    A sender that is cancelled has sent nothing; a receiver that is cancelled
    has taken nothing.

    Checked, in test/sync/messages: dscheck, with capacities 0 and 1, of senders
    and receivers against each other, against selects, cancellation and closing,
    of selects against each other, and of peekers, with seeded bugs (random
    interleavings where a scenario has too many); stress, qcheck-stm and
    qcheck-lin through the structures.

    @canonical Dromos_sync.Author.Exchange *)

type 'a t

val create : capacity:int -> closed:exn -> 'a t
(** [capacity] is [max_int] for an unbounded queue; sends and receives raise
    [closed] once the exchange is closed. *)

val send : 'a t -> 'a -> reason:string -> unit Waiter.source
val recv : 'a t -> reason:string -> 'a Waiter.source
val try_send : 'a t -> 'a -> [ `Sent | `Full | `Closed ]
val try_recv : 'a t -> [ `Received of 'a | `Empty | `Closed ]

val unrecv : 'a t -> 'a -> unit
(** [unrecv t v] puts the message [v] back at the front, even if the queue is
    full or the exchange closed. Raises [Invalid_argument] with capacity 0:
    while [v] is handed out again, a sender and a receiver may come, and no
    thread would bring them together. *)

val peek : 'a t -> 'a option
(** The first message that has been sent, if the queue has one. *)

val look : 'a t -> reason:string -> 'a Waiter.source
(** [look t] is {!peek}, and waits until there is a message. A message that is
    sent while tasks look is seen by all of them, even if a receiver gets the
    message directly. With capacity 0 only such messages can be seen. Raises
    [closed] when no message will come any more. *)

val length : 'a t -> int
(** The number of messages in the queue, without those of waiting senders; a
    snapshot. *)

val close : 'a t -> bool
(** [close t] makes later sends and waiting senders raise [closed]. Messages in
    the queue can still be received; afterwards receivers raise [closed] too.
    [false] if the exchange was closed before. *)

val is_closed : 'a t -> bool
