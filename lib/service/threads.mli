(** The threads that run blocking calls ({!Blocking}): a pool on the service
    domain that grows with its jobs, up to a bound.

    A job that finds no idle thread gets a new thread; at the bound the job
    waits in a queue, first in, first out. Threads in excess end when the load
    falls: as many threads may be idle as run jobs, and at least 4.

    {b The bound} is 512, or the value of [DROMOS_BLOCKING_THREADS], or of
    {!set_most}. A thread reserves address space for its stack ([ulimit -s],
    usually 8 MB, of which it touches some kilobytes), and counts against
    [ulimit -u] and the pids limit of a container. If the system refuses a
    thread, the running threads go on with the queued jobs, and the service
    domain tries again until the refused threads start.

    {b The report.} If jobs are queued and no job has begun for a second, one
    report ({!Reporter}), once per process, says how many jobs run, how many
    wait, and how to raise the bound: jobs that wait for queued jobs never end.

    All functions take one lock for a short time; any thread may call them. *)

type job

val job : (unit -> unit) -> job
(** [job f] is a job that runs [f]. [f] must not raise. *)

val start : unit -> unit
(** To be called before {!submit}. Raises what {!Host.start} raises, and
    [Invalid_argument] if [DROMOS_BLOCKING_THREADS] is not a number from 1. *)

val submit : job -> unit
(** Submits the job: it will run once. To be called once per job; does not
    raise. *)

(** The state of a job. *)
type place =
  | New  (** not submitted *)
  | In_line
  | Begun  (** the job runs, or is over *)
  | Left  (** taken out of the queue: the job never runs *)

val leave : job -> place
(** [leave job] is the job's place. If the place was [In_line], it is [Left]
    from now on. O(1), amortized. *)

val most : unit -> int
(** The bound. Raises like {!start} for [DROMOS_BLOCKING_THREADS]. *)

val set_most : int -> unit
(** Sets the bound. More threads start at once if jobs wait; if there are too
    many threads, those in excess end after their present jobs. Raises
    [Invalid_argument] for less than 1. *)

type counts = {
  threads : int;  (** threads alive, or about to start *)
  running : int;  (** threads that run a job *)
  waiting : int;  (** jobs in the queue *)
}

val counts : unit -> counts
