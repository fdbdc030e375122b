(** The threads that run blocking calls ({!Blocking}): a pool on the service
    domain that grows with the jobs it is given, up to a bound.

    A job that finds no idle thread gets a new one; at the bound it waits in
    line, first in, first out. Threads in excess end when load falls: as many as
    run jobs may be idle beside them, and at least 4.

    {b The bound} is 512, or what [DROMOS_BLOCKING_THREADS] says, or
    {!set_most}. A thread reserves address space for its stack ([ulimit -s],
    usually 8 MB, of which it touches some kilobytes), and counts against
    [ulimit -u] and the pids limit of a container. Where the system refuses a
    thread, those that run go on with the jobs in line, and the refused ones are
    tried again until they start.

    {b The report.} When jobs wait in line and none has begun for a second, one
    report ({!Reporter}), once for the process, says how many run, how many wait
    and how to raise the bound: jobs that wait for jobs in line never end.

    All functions take one lock for a short time, from anywhere. *)

type job

val job : (unit -> unit) -> job
(** The function must not raise. *)

val start : unit -> unit
(** To be called before {!submit}. Raises what {!Host.start} does, and
    [Invalid_argument] if [DROMOS_BLOCKING_THREADS] is not a number from 1. *)

val submit : job -> unit
(** Has the job run, once. To be called once for each job; does not raise. *)

(** What became of a job. *)
type place =
  | New  (** not submitted *)
  | In_line
  | Begun  (** it runs, or is over *)
  | Left  (** taken out of the line: it never runs *)

val leave : job -> place
(** The job's place; if that was [In_line] it is [Left] from now on. O(1),
    amortized. *)

val most : unit -> int
(** The bound. Raises like {!start} for [DROMOS_BLOCKING_THREADS]. *)

val set_most : int -> unit
(** Sets the bound. More threads start at once if jobs wait; if there are too
    many threads, those in excess end after their present jobs. Raises
    [Invalid_argument] for less than 1. *)

type counts = {
  threads : int;  (** alive, or about to start *)
  running : int;  (** of these, those that run a job *)
  waiting : int;  (** jobs in line *)
}

val counts : unit -> counts
