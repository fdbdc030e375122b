(** A queue of fibers that an instance on each vproc takes from, in the order of
    ranks, waiting while there is nothing for it.

    {b Roles.} {!add} and {!leave}: any thread. {!run_next}: an action, or the
    first code of an instance. {b Cost.} One compare-and-set on one word for
    each fiber added and taken, and time logarithmic in the length; fibers that
    can run elsewhere only ({!Dromos_sched.only_on}) are stepped over one by
    one.

    {b Who is woken.} An instance that finds nothing waits. For a fiber that is
    added the queue wakes one whose vproc has nothing else to do, and besides
    those whose vprocs are busy, since one of these may be free sooner; so a
    fiber does not wait for one busy vproc while another is idle. At rest nobody
    runs. If there is nobody to wake, and {!Preemption} is on, the vproc that
    runs the fiber of the greatest rank is preempted, if that is greater than
    the new one's ({!Vproc.preempt}).

    Model-checked (test/sched/model), but for whom to preempt. *)

type t

val create : ?places:int -> unit -> t
(** With [places] at most so many fibers are away from the queue at a time;
    their places must be given back ({!leave}). *)

val add : t -> rank:int -> Core.fiber -> unit
(** The smallest rank leaves first; of equal ones the first that came. Does not
    wait. Raises [Invalid_argument] if the fiber belongs to another run than the
    instances ({!attach}). *)

val arrivals : t -> int
(** How many have been added so far. *)

val length : t -> int

val run_next : t -> (unit -> Core.action) -> Core.directive
(** {!Dromos_sched.run} with the first fiber that may run on this vproc; waits
    while there is none, or no place. {!Dromos_sched.stop} if the instance is
    cancelled while it waits. *)

val leave : t -> unit
(** Gives a place back. Raises [Invalid_argument] if none is taken. *)

val check : call:string -> t -> unit
(** Raises [Invalid_argument] in the name of [call] if the caller is a fiber of
    another run than the instances: before such a call makes a fiber. *)

val check_fiber : call:string -> t -> Core.fiber -> unit
(** Likewise if that fiber belongs to another run. *)

val attach :
  name:string ->
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  ?give:(Core.fiber -> unit) ->
  t ->
  (unit -> Core.directive) ->
  (unit -> 'a) ->
  'a
(** {!Attached.run}. When the last instance is over, fibers that are in the
    queue, or come later, go to the root. *)
