(** Messages to all subscribers: each subscriber receives every message that is
    published after its subscription, and all subscribers receive messages in
    the same order. For tasks of every scheduler.

    Each subscription has a buffer of [capacity] messages. {!create} chooses
    what happens when a buffer is full. By default {!publish} waits: no
    subscriber misses a message, and the slowest subscriber sets the pace. With
    [~overflow:`Drop_oldest] the subscriber loses its oldest message, and
    {!missed} counts the losses.

    {[
      # open Dromos_sync
      # let prices = Broadcast.create ~name:"prices" 8 in
        let a = Broadcast.subscribe prices and b = Broadcast.subscribe prices in
        List.iter (Broadcast.publish prices) [ 10; 11; 12 ];
        Broadcast.close prices;
        (List.of_seq (Broadcast.to_seq a), Broadcast.receive b)
      - : int list * int = ([10; 11; 12], 10)
    ]}

    {b Whole messages.} A message reaches all tasks subscribed when it is
    published, or none. A publisher that waits has published nothing yet; if it
    is cancelled or times out, it leaves nothing behind. Waiting publishers are
    served first in, first out. The actions of a publisher before {!publish}
    happen before the actions after the {!receive} of its message.

    {b Forgotten subscriptions} would block publishers for ever. Use
    {!with_subscription}, or {!unsubscribe}. The garbage collector also drops a
    subscription that has become unreachable, some time later. (Without a
    collection the subscription stays; a run that is reported as a deadlock has
    had a collection.) A task that waits for a message of an unreachable
    broadcast therefore gets {!Closed}. Several tasks may receive from one
    subscription: each message goes to one of the tasks, first come, first
    served.

    {b Cost}: {!publish} O(s) for [s] subscribers, {!subscribe} and
    {!unsubscribe} O(log s), the other operations O(1). {!publish} is for tasks,
    since publishers wait for each other; the other operations can be called
    from any thread.

    Sources: the behaviour of Tokio's [broadcast]. Built on {!Channel},
    {!Semaphore} and {!Mutex}. Tested in test/sync/messages and test/matrix. *)

type 'a t
type 'a subscription

exception Closed
(** {!Channel.Closed}. *)

val create : ?name:string -> ?overflow:[ `Wait | `Drop_oldest ] -> int -> 'a t
(** [create capacity] gives each subscription a buffer of [capacity] messages.
    Raises [Invalid_argument] if [capacity < 1]. [name] appears in reports of
    deadlocks. *)

val publish : ?timeout:float -> 'a t -> 'a -> unit
(** Publishes to all subscribers; without subscribers, the message is dropped.
    Waits while the buffer of a subscriber is full, if [overflow] is [`Wait].
    Raises {!Closed}, also if the broadcast is closed while the caller waits,
    and {!Event.Timeout} if the caller would have to wait longer than [timeout]
    seconds. *)

val close : 'a t -> unit
(** Ends the broadcast: subscribers receive the messages in their buffers, and
    then {!Closed}. Never blocks. Idempotent. *)

val is_closed : 'a t -> bool

val subscribers : 'a t -> int
(** The number of subscriptions; a snapshot. *)

(** {1 Subscriptions} *)

val subscribe : 'a t -> 'a subscription
(** Raises {!Closed}. *)

val unsubscribe : 'a subscription -> unit
(** Publishers no longer wait for the subscription; a publisher that waits for
    it now goes on. Messages in the buffer are dropped. {!receive} raises
    {!Closed} from then on, also in tasks that wait. Never blocks. Idempotent.
*)

val with_subscription : 'a t -> ('a subscription -> 'b) -> 'b
(** [with_subscription t f] subscribes, calls [f], and unsubscribes whatever
    happens in [f]. *)

val receive : ?timeout:float -> 'a subscription -> 'a
(** The next message. Raises {!Closed} and {!Event.Timeout}. *)

val receive_event : 'a subscription -> 'a Event.t

val try_receive : 'a subscription -> 'a option
(** [None] if there is no message now. Raises {!Closed}. *)

val to_seq : 'a subscription -> 'a Seq.t
(** The sequence of the messages: forcing an element receives a message, and the
    sequence ends where {!receive} would raise {!Closed}. Ephemeral. *)

val missed : 'a subscription -> int
(** The number of messages that the subscription has lost because its buffer was
    full. All lost messages are older than the next result of {!receive}. *)
