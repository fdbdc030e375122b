(** A variable that is empty or full, for tasks of every scheduler.

    {!put} fills the variable, and waits while it is full. {!take} empties the
    variable, and waits while it is empty. {!read} waits for a value and leaves
    the value in the variable. An mvar is a lock with its data inside, a
    hand-over between two tasks, or a channel with room for one message.

    Putting tasks are served first in, first out, and so are taking tasks: one
    value wakes one taker, and every waiting reader.

    Lock-free; for all tasks, systhreads, domains and callbacks. A task that is
    cancelled or times out while it waits leaves in O(1), and has put or taken
    nothing. Actions before a put happen before the actions after the take or
    read of the value.

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
    waiting calls of [put] and [take] are served or cancelled; stress, with
    cancellations and timeouts. *)

type 'a t

val create : ?name:string -> unit -> 'a t
(** An empty variable. [name] appears in reports of deadlocks. *)

val of_value : ?name:string -> 'a -> 'a t
(** A full variable. *)

val put : ?timeout:float -> 'a t -> 'a -> unit
(** Raises {!Event.Timeout} if the value could not be put in [timeout] seconds;
    the variable is then unchanged. *)

val take : ?timeout:float -> 'a t -> 'a
(** Raises {!Event.Timeout}. *)

val read : ?timeout:float -> 'a t -> 'a
(** Returns the value, and leaves the value in the variable. Atomic: the value
    was there when [read] was called, or was put afterwards. A task that waits
    in [read] sees the next value put, even if a waiting taker gets the value at
    once (takers do not overtake readers). The reader is served just after the
    value was put: of several concurrent puts the reader sees one, perhaps not
    the first, and a cancellation of the reader may come before. Raises
    {!Event.Timeout}. *)

val put_event : 'a t -> 'a -> unit Event.t
val take_event : 'a t -> 'a Event.t
val read_event : 'a t -> 'a Event.t

(** {1 Without waiting} *)

val try_put : 'a t -> 'a -> bool
(** [false] if the variable is full. *)

val try_take : 'a t -> 'a option
(** [None] if the variable is empty. *)

val peek : 'a t -> 'a option
(** The value, left in the variable; [None] if the variable is empty. *)

val is_empty : 'a t -> bool
(** [is_empty t] is [true] if the variable has no value; a snapshot. *)

(** {1 As a lock with its data} *)

val modify : ?timeout:float -> 'a t -> ('a -> 'a * 'b) -> 'b
(** [modify t f] takes the value [v], and puts back the first part of [f v]. If
    [f] raises, or is cancelled, [modify] puts [v] back. Putting back never
    waits. [timeout] bounds the taking, not [f].

    Not atomic for tasks that put: while [f] runs, the variable is empty. If
    another task puts a value meanwhile, [modify] puts its value in front, so
    the variable holds two values for a while, in order, and neither value is
    lost. Where all tasks use [modify], or take before they put, no such put
    occurs, and modifications exclude each other. *)

val update : ?timeout:float -> 'a t -> ('a -> 'a) -> unit
(** {!modify} without a result. *)
