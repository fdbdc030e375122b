(** Calls that wait, cut in two, for tests that replay the calls in one thread.

    No single call can be replayed if it waits for another call. Therefore each
    call runs in a fiber of its own: {!start} runs the call up to its wait, and
    {!finish} returns the result, or cancels an unserved call. Both return at
    once, so any program of the two can be replayed. After the starts of a
    sender and of a receiver, the two have met. *)

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
(** From any domain, not only from the domain of the start. *)

val finish_all : t -> unit
