(** Streams: queues of items between tasks, that come to an end.

    Producers {!add} items, waiting while [capacity] of them are there already;
    consumers {!take} them, or ask for the {!next} one, which is [None] after
    the producer has called {!close} and all items are consumed. Any number of
    tasks may produce and consume; each item is consumed once, in the order in
    which they were added.

    Use a stream where a consumer processes items until there are no more, and a
    {!Channel} for messages, where the end is an error or where a sender must
    meet its receiver. (A stream is a channel with an end: the same queue, the
    same guarantees.)

    Lock-free; for all tasks, systhreads, domains and callbacks. Who is
    cancelled, or times out, while it waits leaves in O(1): its item was not
    added, and no item is lost on it.

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
(** [create capacity]. With [0] every {!add} waits for its consumer; [max_int]
    is no bound. Raises [Invalid_argument] if it is negative. [name] appears in
    reports of deadlocks. *)

exception Closed
(** {!Channel.Closed}. *)

(** {1 Producing} *)

val add : ?timeout:float -> 'a t -> 'a -> unit
(** Raises {!Closed} if the stream is closed, or is while the caller waits (the
    item was then not added), and {!Event.Timeout}. *)

val add_event : 'a t -> 'a -> unit Event.t

val try_add : 'a t -> 'a -> bool
(** [false] if it would have to wait. Raises {!Closed}. *)

val add_seq : 'a t -> 'a Seq.t -> unit
(** Each element in turn. The sequence is forced as room permits, in the calling
    task; the stream is not closed. *)

val close : 'a t -> unit
(** No more items: what is in the stream is still consumed. Producers that wait
    get {!Closed}, consumers that wait the end. Idempotent. *)

(** {1 Consuming} *)

val next : ?timeout:float -> 'a t -> 'a option
(** The next item, or [None] at the end. Raises {!Event.Timeout}. *)

val next_event : 'a t -> 'a option Event.t

val take : ?timeout:float -> 'a t -> 'a
(** The next item; raises {!Closed} at the end, and {!Event.Timeout}. *)

val take_event : 'a t -> 'a Event.t

val take_nonblocking : 'a t -> 'a option
(** [None] if there is none now, be it the end or not. *)

val iter : ('a -> unit) -> 'a t -> unit
(** Consumes every item until the end. Several tasks may do so at once, and
    share the items. If the function raises, the item it was given is consumed,
    the others are not. *)

val fold : ('acc -> 'a -> 'acc) -> 'acc -> 'a t -> 'acc
(** {!iter} with an accumulator. *)

val to_seq : 'a t -> 'a Seq.t
(** Asking for an element consumes an item, and waits for it. Ephemeral: to be
    used once ([Seq.once] checks it, [Seq.memoize] keeps the items). *)

val of_seq : ?name:string -> 'a Seq.t -> 'a t
(** A closed stream of all elements: of a finite sequence. For one that should
    be forced on demand, have a task call {!add_seq}. *)

(** {1 Looking} *)

val length : 'a t -> int
(** Items in the stream; a snapshot. Those of producers that wait do not count.
*)

val is_empty : 'a t -> bool
(** [length t = 0]. *)

val is_closed : 'a t -> bool
(** Whether {!close} has been called; items may be left. *)

val capacity : 'a t -> int
