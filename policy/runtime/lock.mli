(** A lock for sections of some ten instructions with little contention.

    Taking a free lock costs a compare-and-set, and releasing it an exchange: a
    third of the cost of [Stdlib.Mutex], whose two calls leave OCaml. A thread
    that finds the lock held tries for a moment, then sleeps on a condition
    variable. Domains and systhreads may share a lock. Locks are neither
    reentrant nor fair. Source: the third mutex of Drepper, "Futexes are tricky"
    (2011), with a condition variable for the futex. Tested in
    [policy/test/runtime/test_lock.ml]. *)

type t

val create : unit -> t

val lock : t -> unit
(** Waits until the lock is free. O(1) on a free lock. *)

val unlock : t -> unit
(** Only the holder may call [unlock]. *)
