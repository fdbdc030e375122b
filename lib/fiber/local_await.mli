(** Dromos's answer to [Domain_local_await], by which libraries without a
    scheduler of their own block: in a fiber the answer suspends only that
    fiber. Internal.

    [Domain_local_await] keeps an answer per domain. A thread that begins to
    serve as a worker gives the answer, so forks and tasks pay nothing. The
    answer tests the asking thread: a thread that runs no fiber blocks by a
    mutex and a condition variable. *)

val serving : own_domain:bool -> (unit -> 'a) -> 'a
(** Runs the calling thread's work as a worker. [own_domain]: the thread is the
    first thread of a domain of Dromos's. On other domains each thread has an
    answer of its own from then on, since another thread may run another
    scheduler. The setting is permanent and can be made only once: a program
    that calls [Domain_local_await.per_thread] later gets a [Failure]. Threads
    without an answer of their own keep the answer that was in force at the
    time. *)

val in_thread : unit -> Domain_local_await.t
(** An answer that blocks the calling thread. *)
