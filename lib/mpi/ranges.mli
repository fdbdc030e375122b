(** Ranges of indices, which ranks give to each other, and results of ranges.
    Internal. *)

type range = { first : int; past : int }

val length : range -> int

(** {1 A rank's part} *)

type mine = {
  range : range Atomic.t;
  grain : int;  (** other ranks get whole multiples of [grain] *)
}

val take : mine -> most:int -> range option
(** Takes at most [most] indices from the front. Called by the rank's own tasks.
    Lock-free. *)

val give_half : mine -> range option
(** Cuts off the upper half of the range, for another rank. Lock-free. *)

val left : mine -> int

(** {1 Results} *)

module Starts : Map.S with type key = int

type 'r results = (int * 'r) Starts.t
(** Maps the first index of a range to the range's end and result. *)

val add : join:('r -> 'r -> 'r) -> range -> 'r -> 'r results -> 'r results
(** Adds a result, joined with the results of touching ranges. O(log n). *)
