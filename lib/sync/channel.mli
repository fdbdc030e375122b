(** Channels: messages between tasks of every scheduler.

    A channel of capacity 0 (the default) is a {e rendezvous}: {!send} waits
    until a receiver takes the message. With capacity [n], a channel holds [n]
    messages, and {!send} waits only while the channel is full. Any number of
    tasks may send and receive. First in, first out: messages are received in
    the order in which they were sent, and the task that has waited longest is
    served first.

    Lock-free; for all tasks, systhreads, domains and callbacks. A waiting
    sender or receiver that is cancelled leaves in O(1): a cancelled sender has
    not sent its message, and a cancelled receiver loses no message. Actions
    before a send happen before the actions after the receive of the message.

    {[
      # let c = Dromos_sync.Channel.create () in
        let d = Domain.spawn (fun () -> List.init 3 (fun _ -> Dromos_sync.Channel.recv c)) in
        List.iter (Dromos_sync.Channel.send c) [ 1; 2; 3 ];
        Domain.join d
      - : int list = [1; 2; 3]
    ]} *)

type 'a t

val create : ?name:string -> ?capacity:int -> unit -> 'a t
(** Raises [Invalid_argument] if [capacity < 0]. With [max_int] the channel is
    unbounded. [name] appears in reports of deadlocks. *)

exception Closed

val send : ?timeout:float -> 'a t -> 'a -> unit
(** Raises {!Closed} if the channel is closed, before the call or while the
    caller waits (the message was then not sent), and {!Event.Timeout} if the
    message could not be sent in [timeout] seconds. *)

val recv : ?timeout:float -> 'a t -> 'a
(** Raises {!Closed} if the channel is closed and empty, and {!Event.Timeout}.
*)

val send_event : 'a t -> 'a -> unit Event.t
val recv_event : 'a t -> 'a Event.t

val try_send : 'a t -> 'a -> bool
(** [false] if the caller would have to wait. Raises {!Closed}. *)

val try_recv : 'a t -> 'a option
(** [None] if the caller would have to wait. Raises {!Closed} if the channel is
    closed and empty. *)

val close : 'a t -> unit
(** Closes the channel: waiting senders raise {!Closed}; receivers first get the
    messages in the channel. Idempotent. *)

val is_closed : 'a t -> bool

val length : 'a t -> int
(** The number of messages in the channel, without the messages of waiting
    senders. A snapshot. *)

val capacity : 'a t -> int
