(** Streams: queues of items between tasks, with an end.

    Producers {!add} items, and wait while the stream holds [capacity] items.
    Consumers {!take} items, or ask for the {!next} item, which is [None] after
    a producer has called {!close} and all items are consumed. Any number of
    tasks may produce and consume. Each item is consumed once, in the order of
    the additions.

    Use a stream where a consumer processes items to the end. Use a {!Channel}
    for messages, where the end is an error or where a sender must meet its
    receiver. (A stream is a channel with an end: the same queue, the same
    guarantees.)

    Lock-free; for all tasks, systhreads, domains and callbacks. A task that is
    cancelled or times out while it waits leaves in O(1): a cancelled producer
    has not added its item, and a cancelled consumer loses no item.

    {[
      # open Dromos_sync
      # let s = Stream.create 10 in
        let producer =
          Domain.spawn (fun () ->
            Stream.add_seq s (Seq.take 100 (Seq.ints 1));
            Stream.close s)
        in
        let sum = Stream.fold ( + ) 0 s in
        Domain.join producer;
        sum
      - : int = 5050
    ]}

    Checked, in test/sync/messages: qcheck-stm against a sequential model,
    qcheck-lin, and stress. *)

type 'a t

val create : ?name:string -> int -> 'a t
(** [create capacity] is an empty stream. With capacity [0] every {!add} waits
    for its consumer; with [max_int] the stream is unbounded. Raises
    [Invalid_argument] if [capacity] is negative. [name] appears in reports of
    deadlocks. *)

exception Closed
(** {!Channel.Closed}. *)

(** {1 Producing} *)

val add : ?timeout:float -> 'a t -> 'a -> unit
(** Raises {!Closed} if the stream is closed, before the call or while the
    caller waits (the item was then not added), and {!Event.Timeout}. *)

val add_event : 'a t -> 'a -> unit Event.t

val try_add : 'a t -> 'a -> bool
(** [false] if the caller would have to wait. Raises {!Closed}. *)

val add_seq : 'a t -> 'a Seq.t -> unit
(** [add_seq t seq] adds each element in turn. The calling task forces the
    sequence as room permits; the stream is not closed. *)

val close : 'a t -> unit
(** Ends the stream: items in the stream are still consumed. Waiting producers
    raise {!Closed}, waiting consumers see the end. Idempotent. *)

(** {1 Consuming} *)

val next : ?timeout:float -> 'a t -> 'a option
(** The next item, or [None] at the end. Raises {!Event.Timeout}. *)

val next_event : 'a t -> 'a option Event.t

val take : ?timeout:float -> 'a t -> 'a
(** The next item; raises {!Closed} at the end, and {!Event.Timeout}. *)

val take_event : 'a t -> 'a Event.t

val try_take : 'a t -> 'a option
(** [None] if the stream has no item now, at the end or before. *)

val iter : ('a -> unit) -> 'a t -> unit
(** [iter f t] consumes every item until the end. Several tasks may iterate at
    once, and share the items. If [f] raises, the item given to [f] is consumed,
    and the remaining items are not. *)

val fold : ('acc -> 'a -> 'acc) -> 'acc -> 'a t -> 'acc
(** {!iter} with an accumulator. *)

val to_seq : 'a t -> 'a Seq.t
(** The sequence of the items: forcing an element consumes an item, and waits
    for it. Ephemeral: use the sequence once ([Seq.once] checks, [Seq.memoize]
    keeps the items). *)

val of_seq : ?name:string -> 'a Seq.t -> 'a t
(** [of_seq seq] is a closed stream of all elements of a finite sequence. If the
    sequence should be forced on demand, have a task call {!add_seq}. *)

(** {1 Looking} *)

val length : 'a t -> int
(** The number of items in the stream, without the items of waiting producers; a
    snapshot. *)

val is_empty : 'a t -> bool
(** [length t = 0]. *)

val is_closed : 'a t -> bool
(** [is_closed t] is [true] if {!close} has been called; items may remain. *)

val capacity : 'a t -> int
