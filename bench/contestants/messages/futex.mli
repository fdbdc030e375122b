(** A hand-over by a bare futex between two threads of the system, in C: the
    least price of a hand-over that waits in the kernel. Linux only. *)

val here : unit -> bool
(** True if the system has futexes. *)

val ping_pong : int -> int
(** [ping_pong n]: the calling thread and a new thread hand over to each other
    [n] times there and back. The result is the sum of the numbers from 1 to
    [n], added up by the new thread. The calling thread holds no lock of the
    runtime meanwhile. Raises [Failure] if the new thread cannot be made. *)
