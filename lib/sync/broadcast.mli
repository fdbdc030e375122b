(** Messages to everybody: each subscriber receives every message that is
    published after it subscribed, all in the same order. For tasks of every
    scheduler.

    Each subscription has a buffer of [capacity] messages. What happens when one
    is full is chosen at {!create}: by default {!publish} waits, so that nobody
    misses anything and the slowest subscriber sets the pace; with
    [~overflow:`Drop_oldest] the subscriber loses its oldest message, and can
    tell by {!missed}.

    {[
      # open Dromos_sync
      # let prices = Broadcast.create ~name:"prices" 8 in
        let a = Broadcast.subscribe prices and b = Broadcast.subscribe prices in
        List.iter (Broadcast.publish prices) [ 10; 11; 12 ];
        Broadcast.close prices;
        (List.of_seq (Broadcast.to_seq a), Broadcast.receive b)
      - : int list * int = ([10; 11; 12], 10)
    ]}

    {b Whole messages.} A message reaches all who are subscribed when it is
    published, or nobody: a publisher that waits has published nothing yet, and
    one that is cancelled, or whose time is up, then leaves nothing behind.
    Publishers that wait are served first in, first out. What a publisher did
    before {!publish} happens before what follows the {!receive} of its message.

    {b Subscriptions that are forgotten} would hold publishers up for ever. So
    use {!with_subscription}, or {!unsubscribe}; a subscription to which nothing
    leads any more is also dropped by the garbage collector, some time later
    (without a collection never; a run that is reported as a deadlock has had
    one). So a task that waits for a message of a broadcast to which nothing
    else leads is told {!Closed}. Several tasks may receive from one
    subscription: each message goes to one of them, first come, first served.

    {b Cost}: {!publish} O(s) for [s] subscribers, {!subscribe} and
    {!unsubscribe} O(log s), the others O(1). {!publish} is for tasks, since
    publishers wait for each other; the others can be called from anywhere.

    Sources: the behaviour of Tokio's [broadcast]. Stands on {!Channel},
    {!Semaphore} and {!Mutex}. Tested in test/sync/messages and test/matrix. *)

type 'a t
type 'a subscription

exception Closed
(** {!Channel.Closed}. *)

val create : ?name:string -> ?overflow:[ `Wait | `Drop_oldest ] -> int -> 'a t
(** [create capacity]. Raises [Invalid_argument] if [capacity < 1]. [name]
    appears in reports of deadlocks. *)

val publish : ?timeout:float -> 'a t -> 'a -> unit
(** To all subscribers; does nothing if there are none. Waits while the buffer
    of one of them is full, if [overflow] is [`Wait]. Raises {!Closed}, also if
    closed while the caller waits, and {!Event.Timeout} if it would have to wait
    longer than [timeout] seconds. *)

val close : 'a t -> unit
(** No more messages: subscribers receive what is in their buffers, and then
    {!Closed}. Never blocks. Idempotent. *)

val is_closed : 'a t -> bool

val subscribers : 'a t -> int
(** A snapshot. *)

(** {1 Subscriptions} *)

val subscribe : 'a t -> 'a subscription
(** Raises {!Closed}. *)

val unsubscribe : 'a subscription -> unit
(** Publishers no longer wait for it, nor does one that does so now. What it has
    not received is dropped; {!receive} then raises {!Closed}, also in tasks
    that wait. Never blocks. Idempotent. *)

val with_subscription : 'a t -> ('a subscription -> 'b) -> 'b
(** {!subscribe}, the function, and {!unsubscribe} whatever happens in it. *)

val receive : ?timeout:float -> 'a subscription -> 'a
(** The next message. Raises {!Closed} and {!Event.Timeout}. *)

val receive_event : 'a subscription -> 'a Event.t

val try_receive : 'a subscription -> 'a option
(** [None] if there is none now. Raises {!Closed}. *)

val to_seq : 'a subscription -> 'a Seq.t
(** Asking for an element receives a message; the sequence ends where {!receive}
    would raise {!Closed}. Ephemeral. *)

val missed : 'a subscription -> int
(** How many messages the subscription has lost since it began because its
    buffer was full. All of them are older than what {!receive} returns next. *)
