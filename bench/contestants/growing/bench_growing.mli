(** The benchmarks of growth ([grow_..]: [n] of everything that a program makes
    many of) and of contention ([contend_..]: [n] operations of [cutoff] tasks
    on one structure).

    [dromos-growth] has all of them, on one worker and more. [plain-growth] has
    those for which the standard library alone has a program: arrays, lists of
    closures, a map as a timer queue, plain recursion. [threads-growth] has
    those of tasks that wait, with systhreads, [Stdlib.Mutex] and
    [Stdlib.Condition]; with two workers the threads are dealt to two domains.
*)

val contestants : Bench_core.Contestant.t list
