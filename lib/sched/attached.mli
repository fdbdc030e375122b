(** Schedulers that live for as long as a function runs.

    An instance of a scheduler has no end of its own: without work, the instance
    waits. {!run} starts an instance on each vproc, and ends the instances when
    its body is over, while the program goes on. *)

val run :
  name:string ->
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  ?ends:(Vproc.t -> unit) ->
  ?give:(Core.fiber -> unit) ->
  (Vproc.t -> Core.directive) ->
  (unit -> 'a) ->
  'a
(** [run ~name instance body] starts, on each vproc of [vprocs] (default: all),
    a {!Dromos_sched.scheduler} that calls [instance vproc], and runs [body ()]
    in a new scope: every fiber made in the scope has ended when the body is
    over. Then [run] cancels the instances in their wait for work, and returns
    when they are gone.

    [under vproc instance] gives an instance, which is a fiber, to another
    scheduler: the new scheduler then runs inside the other scheduler. The
    default is {!Vproc.enq_on}.

    If an action raises, the body is cancelled and [run] raises the exception.
    [run] calls [ends vproc] on the vproc when the instance of the vproc is
    over, for any reason. [ends] should give the fibers in the instance's queue
    to another scheduler or to the root (as {!Ready_queue.close} does).

    {!Dromos_sched.spawn} gives fibers to [give], in the body and in the fibers
    made there. Without [give] it gives them to a scheduler around [run] that
    has a [give], if there is one, even in a fiber that this scheduler runs. *)
