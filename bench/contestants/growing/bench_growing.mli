(** The benchmarks of growth ([grow_..]: [n] items of one kind, for each kind of
    which programs make many) and of contention ([contend_..]: [n] operations of
    [cutoff] tasks on one structure).

    [dromos-growth] has every benchmark, on one worker and more. [plain-growth]
    has programs of the standard library alone: arrays, lists of closures, a map
    as a timer queue, plain recursion. [threads-growth] has systhreads that
    wait, with [Stdlib.Mutex], [Stdlib.Condition] and [Stdlib.Semaphore]; with
    two workers the threads are dealt to two domains. *)

val contestants : Bench_core.Contestant.t list
