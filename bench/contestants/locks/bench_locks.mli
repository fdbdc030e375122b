(** The benchmark [sync_lock]: [n] times in all, a contender locks a mutex, adds
    to a counter, gives way while it holds the mutex, unlocks, and gives way
    again.

    The other contenders thus come to the lock meanwhile, and each unlock can
    hand the lock over. [handed_over], from 0 to 1, is the share of the locks
    that came from another contender ([Stdlib.Mutex] is not fair). A single
    contender does not give way: its time is the price of a lock and an unlock.
*)

val contestants : Bench_core.Contestant.t list
