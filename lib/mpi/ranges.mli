(** Index ranges that ranks take from each other, and their results. Internal.
*)

type range = { first : int; past : int }

val length : range -> int

(** {1 A rank's part} *)

type mine = {
  range : range Atomic.t;
  grain : int;  (** others are given whole multiples of it *)
}

val take : mine -> most:int -> range option
(** From the front, by the rank's own tasks. Lock-free. *)

val give_half : mine -> range option
(** The upper half of what is left, for another rank. Lock-free. *)

val left : mine -> int

(** {1 Results} *)

module Starts : Map.S with type key = int

type 'r results = (int * 'r) Starts.t
(** From the first index of a range to where it ends, and its result. *)

val add : join:('r -> 'r -> 'r) -> range -> 'r -> 'r results -> 'r results
(** Joins the result with those of the ranges before and after, if they touch.
    O(log n). *)
