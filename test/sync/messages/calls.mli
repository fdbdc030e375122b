(** Calls that wait, cut in two, for tests that replay them in one thread.

    A call that would wait for somebody cannot be replayed alone. So it is made
    in a fiber of its own: {!start} makes it up to where it waits, and {!finish}
    has its result if somebody has served it, or else cancels it. Both return at
    once, so that any program of them can be replayed, and a sender and a
    receiver that have both started have met. *)

type reply =
  | Waits
  | Got of int
  | Raised of string
  | Cancelled
  | Occupied  (** the place has a call already *)
  | Free  (** the place has no call *)

val show : reply -> string

type t
(** Places, each for one call at a time. *)

val places : int
val create : unit -> t

val start : t -> int -> (unit -> int) -> reply
(** [start t place call], from any domain. *)

val finish : t -> int -> reply
(** From any domain, not only where the call started. *)

val finish_all : t -> unit
