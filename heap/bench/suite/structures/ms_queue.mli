(** A queue without locks, first in, first out, for any number of producers and
    consumers: M. M. Michael and M. L. Scott, Simple, fast, and practical
    non-blocking and blocking concurrent queue algorithms, PODC 1996.

    The collector does what their counters are for: no node is used twice while
    somebody still has it. *)

type 'a t

val create : unit -> 'a t
val push : 'a t -> 'a -> unit

val pop : 'a t -> 'a option
(** The oldest; [None] if there was none at some moment of the call. *)
