(** Timestamps that cost a read of a word. Internal; for {!Waiting}.

    A read of the clock costs some 30 ns, a fifth of a suspension. A fiber that
    begins to wait therefore notes the number of the last tick: the wait began
    before the next tick. A worker makes a tick when the worker goes to sleep,
    and at some suspensions; a reader makes a tick before reading.

    Any thread may call the functions; lock-free. Racing ticks write about the
    same time. *)

val clock : unit -> int
(** Nanoseconds, monotonic. *)

val last : unit -> int
(** The number of the last tick. *)

val tick : unit -> unit
(** Makes a new tick, unless the last tick is younger than 10 ms. *)

val now : unit -> unit
(** Makes a new tick. *)

val at : int -> unit
(** [tick ()] for a caller that has just read the {!clock}. *)

val elapsed_since : int -> int
(** The nanoseconds, at least, since the given tick was the last tick: exact to
    within 1/128 of the true number, or to the time until the next tick. *)
