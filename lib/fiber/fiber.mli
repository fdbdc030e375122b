(** Fibers: the record, and the fiber that the calling thread runs. Owner of
    [self_id] and [pin]. Internal; {!Start} starts fibers, and {!Handler} takes
    fibers off their workers. *)

open Types

type t = fiber
(** A fiber, or its context: the same record under two names. *)

val make :
  worker ->
  ?heap:Task_heap.t ->
  ?ends:(unit -> unit) ->
  task:kernel_task ->
  scope:scope ->
  node:node ->
  fls:Hmap.t ->
  pin:int ->
  info:Info.t ->
  unit ->
  t
(** A fiber of the worker's run that has not started. *)

val nobody : t
(** {!Nobody.fiber}: the fiber of threads that run no fiber. *)

val current : unit -> t
(** The fiber that the calling thread runs, or {!nobody}. *)

val workers : t -> int
(** The number of workers of the fiber's run; at least 1. *)

(** {1 Numbers} *)

val id : t -> int
(** The fiber's {!Dromos_suspend.Self}. The fiber gets the number at the first
    call, which the fiber makes. *)

val renumber : t -> int -> unit
(** The fiber runs a task in place, with a number of the task's own (0: none
    yet), or goes on after the task. Called by {!Spawn}. *)

val is_host : t -> bool
(** [true]: the caller, which this fiber runs, is a task of another scheduler
    inside the fiber, such as {!Dromos_fifo}. These tasks share the fiber's
    record and end in any order, so they must not change the fiber's
    surroundings. *)

(** {1 Pins}

    A pin counts when the fiber comes back at the root: the kernel task then
    goes to that worker alone. The thread that writes a pin runs the fiber, or
    holds the fiber's handle. *)

val pin_to : t -> worker -> unit
val unpin : t -> unit
