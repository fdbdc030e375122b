(** A lock-free queue, first in, first out, for any number of producers and
    consumers: M. M. Michael and M. L. Scott, Simple, fast, and practical
    non-blocking and blocking concurrent queue algorithms, PODC 1996.

    The garbage collector makes the paper's counters unnecessary: no node is
    used again while a task still has a pointer to the node. *)

type 'a t

val create : unit -> 'a t
val push : 'a t -> 'a -> unit

val pop : 'a t -> 'a option
(** Takes the oldest element; [None] if the queue was empty at some moment of
    the call. *)
