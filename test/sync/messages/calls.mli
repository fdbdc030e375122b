(** Calls that wait, cut in two, for tests that replay them in one thread.

    A call that would wait for another call cannot be replayed alone. Each call
    is therefore made in a fiber of its own: {!start} runs the call up to its
    wait, and {!finish} returns its result, or cancels the call if it is not
    served yet. Both return at once, so that any program of them can be
    replayed; a sender and a receiver that have both started have met. *)

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
