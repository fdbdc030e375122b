(** A count that goes down to zero, once, and those who wait for it.

    {[
      # open Dromos_sync
      # let ready = Latch.create 3 in
        let ds = List.init 3 (fun _ -> Domain.spawn (fun () -> Latch.count_down ready)) in
        Latch.wait ready;
        List.iter Domain.join ds;
        Latch.count ready
      - : int = 0
    ]}

    Unlike at a {!Barrier}, those who count do not wait, those who wait do not
    count, and there is one round. Lock-free; from any task, thread or callback;
    {!wait} alone waits. A waiter that is cancelled leaves in O(1). What
    happened before each {!count_down} happens before what follows a {!wait}.

    Sources: the latch of C++20, [CountDownLatch] of Java; over {!Ivar}. *)

type t

val create : ?name:string -> int -> t
(** [create n] opens after [n] steps; at once if [n = 0]. Raises
    [Invalid_argument] if [n < 0]. [name] appears in errors and in reports of
    deadlocks. *)

val count_down : ?by:int -> t -> unit
(** [by] steps, 1 by default; the last one wakes all who wait. Raises
    [Invalid_argument], and counts nothing, if fewer are left: somebody counts
    twice. *)

val wait : ?timeout:float -> t -> unit
(** Raises {!Event.Timeout} if it does not open in [timeout] seconds. *)

val wait_event : t -> unit Event.t

val count : t -> int
(** A snapshot of the steps that are left. *)
