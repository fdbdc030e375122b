(** A hand-over by a bare futex between two threads of the system, in C: the
    least that a hand-over costs which leaves the waiting to the kernel. Linux
    only. *)

val here : unit -> bool
(** Whether the system has futexes. *)

val ping_pong : int -> int
(** [ping_pong n]: the calling thread and a new one hand over to each other [n]
    times there and back; the sum of the numbers from 1 to [n], which the other
    thread adds up. Holds no lock of the runtime meanwhile. Raises [Failure] if
    the thread cannot be made. *)
