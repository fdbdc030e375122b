(** The benchmark [sync_lock]: [n] times in all, one of the contenders locks a
    mutex, adds to a counter, gives way while it holds the mutex, unlocks, and
    gives way again.

    So the others come to the lock meanwhile, and each unlocking can hand it
    over; [handed_over] is how often another contender than the last one had it,
    from 0 to 1 ([Stdlib.Mutex] is not fair). A single contender does not give
    way: that is the price of a lock and an unlock. *)

val contestants : Bench_core.Contestant.t list
