(** Schedulers that are there as long as they are needed.

    An instance of a scheduler has no end of its own: when it has nothing to do
    it waits. {!run} starts one on each vproc, and takes them away when its body
    is over, while the program goes on. *)

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
    a {!Dromos_sched.scheduler} that does [instance vproc], and runs [body ()]
    in a scope of its own: every fiber that is made in it has ended when the
    body is over. Then the instances are cancelled where they wait for something
    to do, and [run] returns when they are gone.

    [under vproc instance] hands an instance, which is a fiber, to whoever is to
    run it: another scheduler, inside which this one then runs. By default it is
    {!Vproc.enq_on}.

    If an action raises, the body is cancelled and [run] raises that exception.
    [ends vproc] is called, on the vproc, when its instance is over, for
    whatever reason: it should give fibers that wait for their turn to somebody
    else (as {!Ready_queue.close} does).

    [give] is where {!Dromos_sched.spawn} puts fibers, in the body and in what
    is made there. *)
