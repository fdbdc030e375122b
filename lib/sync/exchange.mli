(** Where messages are handed over: the common core of {!Channel}, {!Mvar} and
    {!Stream}. For authors of structures.

    A queue of at most [capacity] messages, in which the next senders stand with
    their messages as in a second queue behind it, and receivers wait when there
    is nothing. Messages are received in the order in which their senders came;
    senders and receivers are served in that order too. With capacity 0 a
    message passes directly from sender to receiver, both waiting for each
    other.

    Lock-free; from any task, thread or callback. What a sender did before
    sending happens before what the receiver of that message does after; with a
    bounded capacity, receiving a message happens before the send that its place
    made possible returns.

    A sender that is cancelled has sent nothing; a receiver that is cancelled
    has taken nothing.

    Checked, in test/sync/messages: dscheck, with capacities 0 and 1, of senders
    and receivers against each other, against choices, cancellation and closing,
    of choices against each other, and of lookers, with seeded bugs (scenarios
    too large for all interleavings by random ones); stress, qcheck-stm and
    qcheck-lin through the structures. *)

type 'a t

val create : capacity:int -> closed:exn -> 'a t
(** [capacity] is [max_int] for no bound; [closed] is what sends and receives
    raise once the exchange is closed. *)

val send : 'a t -> 'a -> reason:string -> unit Waiter.source
val recv : 'a t -> reason:string -> 'a Waiter.source
val try_send : 'a t -> 'a -> [ `Sent | `Full | `Closed ]
val try_recv : 'a t -> [ `Received of 'a | `Empty | `Closed ]

val unrecv : 'a t -> 'a -> unit
(** Puts a message back at the front, even if it is full, closed or not.
    [Invalid_argument] with capacity 0: while it is handed out again senders and
    receivers may come, and nobody would bring them together. *)

val peek : 'a t -> 'a option
(** The first message that has been sent, if one is there. *)

val look : 'a t -> reason:string -> 'a Waiter.source
(** {!peek}, waiting until there is a message. One that is sent while somebody
    looks is seen by all who do, even if it goes directly to a receiver. With
    capacity 0 there are no messages to look at but those. Raises [closed] when
    there will be none. *)

val length : 'a t -> int
(** Messages in the queue; a snapshot. Senders that wait do not count. *)

val close : 'a t -> bool
(** Later sends, and senders that wait, get [closed]; messages in the queue can
    still be received, after them receivers get [closed] too. [false] if it was
    closed before. *)

val is_closed : 'a t -> bool
