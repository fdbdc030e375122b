(** Dromos's answer to [Domain_local_await], through which libraries that know
    no scheduler block: in a fiber it suspends that fiber only. Internal.

    [Domain_local_await] keeps one answer per domain, so it is given where a
    thread begins to serve as a worker, and costs forks and tasks nothing. The
    answer looks which thread asks: one that runs no fiber blocks by a mutex and
    a condition variable. *)

val serving : own_domain:bool -> (unit -> 'a) -> 'a
(** Runs what the calling thread does as a worker. [own_domain]: on a domain of
    Dromos's, on the thread that it began with. On other domains each thread has
    an answer of its own from then on, since another thread may run another
    scheduler. There is no way back from that, and no second time: a program
    that calls [Domain_local_await.per_thread] later gets a [Failure]. The
    answer that is in force by then stays that of threads without one of their
    own. *)

val in_thread : unit -> Domain_local_await.t
(** Blocks the calling thread. *)
