(** The accounts of {!Poller}: for each descriptor the watches that wait for it.
    Lock-free; all functions from anywhere. *)

type interest = Read | Write

type outcome =
  | Ready  (** an operation would not block, or would fail: to be tried *)
  | Closed  (** it is not open, or the number is another file's now *)
  | Failed of Unix.error  (** the system refuses to watch it *)

type answer = Over | Again  (** the watch goes on; to {!Ready} only *)

(** {1 Watches} *)

type state =
  | New
  | Waiting of (outcome -> answer)
  | Telling  (** by one thread *)
  | Gone  (** told, or left *)

type watch = {
  state : state Atomic.t;
  armed : int Atomic.t;
      (** when the system had been told of it, by {!tick}; 0 before that *)
}

val watch : unit -> watch
val leave : watch -> unit

val tell : outcome -> watch -> bool
(** Calls the watch's function, unless it is gone or another thread does so. The
    result says whether the watch is to be {!put} back. *)

val tick : unit -> int
(** Grows, from 2. *)

val unfinished : int Atomic.t
(** Watches that wait, or are being told. *)

val pending : unit -> int

(** {1 Slots} *)

type line = {
  watches : watch list;  (** newest first; some may be gone *)
  length : int;
  limit : int;  (** those that are gone are swept when it is that long *)
}

type slot = { readers : line; writers : line }
(** Of a descriptor's number; replaced whole. *)

val no_line : line

val slot_of : int -> slot Atomic.t
(** The one slot of a number. *)

val table : slot Atomic.t array Atomic.t
(** Those that there are, by number. *)

val change : slot Atomic.t -> (slot -> slot) -> slot
(** Returns what was there before. *)

val put : watch -> interest -> slot Atomic.t -> unit

val sweep : slot Atomic.t -> unit
(** Drops the watches that are gone, or does nothing if somebody changes the
    slot at the same time. *)

val wanted : slot -> int
(** The bits ({!Polling}) for which there are watches. *)

val all : slot -> watch list
(** Oldest first, those that read before those that write. *)

val oldest_first : line -> watch list
