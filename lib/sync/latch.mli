(** Latches: a count that goes down to zero, once, and tasks that wait for zero.

    {[
      # open Dromos_sync
      # let ready = Latch.create 3 in
        let ds = List.init 3 (fun _ -> Domain.spawn (fun () -> Latch.count_down ready)) in
        Latch.wait ready;
        List.iter Domain.join ds;
        Latch.count ready
      - : int = 0
    ]}

    A latch differs from a {!Barrier}: the tasks that count do not wait, the
    tasks that wait do not count, and there is one round. Lock-free. Any task,
    thread or callback can call all operations; only {!wait} waits. A waiter
    that is cancelled leaves in O(1). Actions before each {!count_down} happen
    before actions after a {!wait}.

    Sources: the latch of C++20, [CountDownLatch] of Java; over {!Ivar}. *)

type t

val create : ?name:string -> int -> t
(** [create n] opens after [n] steps, and at once if [n = 0]. Raises
    [Invalid_argument] if [n < 0]. [name] appears in errors and in reports of
    deadlocks. *)

val count_down : ?by:int -> t -> unit
(** Counts [by] steps, 1 by default. The last step wakes all waiters. Raises
    [Invalid_argument], and counts nothing, if fewer than [by] steps remain: a
    task has counted twice. *)

val wait : ?timeout:float -> t -> unit
(** Raises {!Event.Timeout} if the latch does not open in [timeout] seconds. *)

val wait_event : t -> unit Event.t

val count : t -> int
(** The number of steps that remain; a snapshot. *)
