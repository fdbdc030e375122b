(** Earliest deadline first: of all runnable fibers, the fibers with the nearest
    deadlines run, one on each vproc.

    Suppose fibers need their vproc for [c] out of every [p] seconds, and
    nothing else. On one vproc with preemption, all deadlines are met whenever
    the sum of [c / p] is at most 1 (Liu and Layland 1973). On several vprocs no
    simple promise holds. A deadline only orders fibers: a missed deadline is
    reported, and the fiber goes on (see [Dromos.timeout] to stop it). A running
    fiber gives way to an earlier deadline at once where {!Preemption} is on,
    otherwise when it next waits or yields.

    All vprocs share one queue; {!Priority} has the reason. Fibers without a
    deadline run when no other fiber can. Times are of the monotonic clock.

    {[
      # module Deadline = Dromos.Sched.Deadline
        let said : string Queue.t = Queue.create ()
        let say what () = Queue.add what said;;
      module Deadline = Dromos.Sched.Deadline
      val said : string Queue.t = <abstr>
      val say : string -> unit -> unit = <fun>
      # Dromos.run ~workers:1 (fun () ->
            Deadline.run (fun t ->
                Deadline.spawn t (say "whenever");
                Deadline.spawn t ~deadline:2. (say "soon");
                Deadline.spawn t ~deadline:1. (say "now")));
        List.of_seq (Queue.to_seq said)
      - : string list = ["now"; "soon"; "whenever"]
      # let late = ref 0 in
        Dromos.run (fun () ->
            Deadline.run (fun t ->
                Deadline.every t ~period:0.002 ~jobs:5
                  ~report:(fun job -> if job.lateness > 10. then incr late)
                  ignore));
        !late
      - : int = 0
    ]} *)

type t

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (t -> 'a) ->
  'a
(** Runs a function while the scheduler runs the fibers given to it on [vprocs]
    (default: all). Returns when all fibers made in the function are over. The
    scheduler of the caller runs the function itself. [under]: see
    {!Attached.run}. *)

val spawn : t -> ?name:string -> ?deadline:float -> (unit -> unit) -> unit
(** Makes a fiber in the scope of the caller, to be over [deadline] seconds from
    now. The default is the caller's own deadline, if any. Fibers with equal
    deadlines take turns. After the end of {!run}, the fiber runs at the root.
    Call [spawn] in a fiber. Raises [Invalid_argument] for a negative number or
    nan. *)

val give : t -> ?deadline:float -> Core.fiber -> unit
(** Gives an existing fiber to the scheduler. Without [deadline] the fiber keeps
    the deadline that it carries. *)

type job = {
  number : int;  (** from 0 *)
  waited : float;  (** seconds from the job's release to its start *)
  lateness : float;
      (** seconds from the job's deadline to its end; negative if in time *)
}

val every :
  t ->
  ?name:string ->
  ?deadline:float ->
  ?jobs:int ->
  ?report:(job -> unit) ->
  period:float ->
  (unit -> unit) ->
  unit
(** [every t ~period f] makes a fiber that calls [f ()] now and every [period]
    seconds, [jobs] times or until the fiber is cancelled. Job [i] is released
    [i] periods after the first job, however long earlier jobs took, so the
    releases do not drift. The deadline of a job is [deadline] seconds after its
    release, by default a period. Jobs run one after the other: a job released
    before the end of the last job begins right after the last job, and no job
    is left out. After each job, the same fiber calls [report].

    Raises [Invalid_argument] if [period] is not positive or [deadline] negative
    or nan. *)

val lateness : unit -> float option
(** Seconds since the calling fiber's deadline; negative while there is time
    left. *)

val set_deadline : float -> unit
(** Sets the calling fiber's deadline to the given number of seconds from now.
    The new deadline counts from the fiber's next wait or yield on. *)

val set_deadline_of : t -> Core.fiber -> float -> unit
(** Sets another fiber's deadline to the given number of seconds from now, like
    {!Priority.set_priority_of}: a fiber in the queue is at its new place when
    the call returns. From anywhere. Raises [Invalid_argument] for a negative
    number or nan, or if the fiber was never given to a deadline scheduler. *)
