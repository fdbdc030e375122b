(** The data structure of {!Poller}: for each descriptor, the watches that wait
    for it. Lock-free; any thread may call all functions. *)

type interest = Read | Write

type outcome =
  | Ready  (** an operation would not block, or would fail: try it *)
  | Closed
      (** the descriptor is not open, or its number is another file's now *)
  | Failed of Unix.error  (** the system refuses to watch the descriptor *)

type answer = Over | Again  (** the watch goes on; to {!Ready} only *)

(** {1 Watches} *)

type state =
  | New
  | Waiting of (outcome -> answer)
  | Telling  (** a thread is calling the function *)
  | Gone  (** told, or left *)

type watch = {
  state : state Atomic.t;
  armed : int Atomic.t;
      (** the time, by {!tick}, at which the system had been told of the watch;
          0 before *)
  mutable file : int; [@owner Poller]
      (** with [poll]: the file that the descriptor had when the watch was set,
          by {!Polling.file} *)
}

val watch : unit -> watch
val leave : watch -> unit

val tell : outcome -> watch -> bool
(** Calls the watch's function, unless the watch is gone or another thread is
    calling the function. [true] if the caller must {!put} the watch back. *)

val tick : unit -> int
(** A number greater than all results before; the first result is 2. *)

val unfinished : int Atomic.t
(** The number of watches that wait, or are being told. *)

val pending : unit -> int

(** {1 Slots} *)

type line = {
  watches : watch list;  (** newest first; some may be gone *)
  length : int;
  limit : int;  (** at this length, gone watches are swept *)
}

type slot = { readers : line; writers : line }
(** The watches of a descriptor's number; replaced as a whole. *)

val no_line : line

val slot_of : int -> slot Atomic.t
(** The slot of a number; each number has one. *)

val table : slot Atomic.t array Atomic.t
(** All slots, by number. *)

val change : slot Atomic.t -> (slot -> slot) -> slot
(** [change slot f] replaces the slot's contents by [f], and returns the
    previous contents. *)

val put : watch -> interest -> slot Atomic.t -> unit

val sweep : slot Atomic.t -> unit
(** Drops the gone watches, or has no effect if another thread changes the slot
    at the same time. *)

val wanted : slot -> int
(** The bits ({!Polling}) with watches. *)

val all : slot -> watch list
(** All watches of the slot: the readers, then the writers, each oldest first.
*)

val oldest_first : line -> watch list
