(** When something happened, at the price of reading a word. Internal; for
    {!Waiting}.

    A look at the clock costs some 30 ns, a fifth of a suspension. So a fiber
    that begins to wait notes the number of the last tick: the wait began before
    the next tick. A worker makes a tick when the worker goes to sleep, and at
    some suspensions; a reader makes one before reading.

    All functions from any thread; lock-free. Racing ticks write about the same
    time. *)

val clock : unit -> int
(** Nanoseconds, monotonic. *)

val last : unit -> int
(** The number of the last tick. *)

val tick : unit -> unit
(** A new one, unless the last one is younger than 10 ms. *)

val now : unit -> unit
(** A new one. *)

val at : int -> unit
(** [tick ()] by who has just read the {!clock}. *)

val elapsed_since : int -> int
(** At least so many nanoseconds have passed since that tick was the last one:
    to within 1/128 of the true number, or the time to the tick after it. *)
