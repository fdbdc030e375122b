(** Earliest deadline first: of the fibers that could run, that one does whose
    deadline is nearest, on as many vprocs as there are.

    On one vproc, with preemption and fibers that need their vproc for [c] out
    of every [p] seconds and nothing else, all deadlines are met whenever the
    sum of [c / p] is at most 1 (Liu and Layland 1973); on several vprocs no
    such simple promise holds. A deadline orders, and it is told when it was
    missed, but nothing is stopped for that: see [Dromos.timeout]. A running
    fiber gives way to an earlier deadline at once where {!Preemption} is on,
    otherwise when it next waits or yields.

    One queue for all vprocs, for the reason given in {!Priority}. Fibers
    without a deadline run when no other can. Times are of the monotonic clock.

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
(** Runs a function while the scheduler runs what it is given, on [vprocs]
    (default: all), and returns when all fibers that were made in it are over.
    The function itself is run by whoever ran its caller. [under]: see
    {!Attached.run}. *)

val spawn : t -> ?name:string -> ?deadline:float -> (unit -> unit) -> unit
(** A fiber in the scope of the caller, that should be over [deadline] seconds
    from now; by default it has the caller's own, if that has one. Equal ones
    take turns. Once {!run} is over, it runs at the root. By a fiber. Raises
    [Invalid_argument] for a negative number or nan. *)

val give : t -> ?deadline:float -> Core.fiber -> unit
(** Has the scheduler run a fiber that somebody made; without [deadline], with
    the one it carries. *)

type job = {
  number : int;  (** from 0 *)
  waited : float;  (** seconds from its release to its start *)
  lateness : float;
      (** seconds from its deadline to its end: negative if it was in time *)
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
    seconds, [jobs] times or until it is cancelled. Job [i] is released [i]
    periods after the first, whatever the others took, so that there is no
    drift; its deadline is [deadline] seconds after its release, by default a
    period. Jobs follow each other: one that is released before the last has
    ended begins right after that, and none is left out. After each job, in the
    same fiber, [report] is told how it went.

    Raises [Invalid_argument] if [period] is not positive or [deadline] negative
    or nan. *)

val lateness : unit -> float option
(** How many seconds ago the calling fiber's deadline was; negative while there
    is time. *)

val set_deadline : float -> unit
(** The calling fiber's, so many seconds from now; counts from its next wait or
    yield on. *)

val set_deadline_of : t -> Core.fiber -> float -> unit
(** Another fiber's, so many seconds from now, as {!Priority.set_priority_of}:
    one that is in the queue is at its new place when the call returns. From
    anywhere. Raises [Invalid_argument] for a negative number or nan, or if the
    fiber was never given to such a scheduler. *)
