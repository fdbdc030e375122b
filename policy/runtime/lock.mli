(** A lock for sections of some ten instructions, which are seldom fought for.

    Free, it costs a compare-and-set to take and an exchange to release: a third
    of [Stdlib.Mutex], whose two calls leave OCaml. Whoever finds it held tries
    for a moment, then sleeps on a condition variable. Domains and systhreads
    may use it; it is not reentrant and not fair. Source: the third mutex of
    Drepper, "Futexes are tricky" (2011), with a condition variable for the
    futex. Tested in [policy/test/runtime/test_lock.ml]. *)

type t

val create : unit -> t

val lock : t -> unit
(** Waits until the lock is free. O(1) if it is. *)

val unlock : t -> unit
(** By the thread that holds it. *)
