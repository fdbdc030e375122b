(** Instances of a scheduler that wait for work, and the choice of the instance
    to wake. Internal: {!Shared_queue} and {!Gang_queue} keep the list of
    sleepers in their own atomic word, {!Stealing} keeps the list beside its
    queues.

    {b Which instances are woken} for new work: one instance whose vproc is
    idle, and all instances whose vprocs are busy, since a busy vproc may be
    free sooner. Work therefore does not wait for a busy vproc while another
    vproc is idle.

    Lock-free; linear in the number of waiting instances. Memory ordering:
    actions before a wake-up happen before the actions of the woken instance. No
    function raises or waits, except {!sleep}. Model-checked (test/sched/model):
    no instance sleeps beside work, is woken twice, or uses up a wake-up that
    another instance needs; work for some vprocs wakes one of their instances
    and no other; an instance with an idle vproc is preferred, and with [at] the
    vproc [at] counts. Tested: random programs against a model, on one domain
    and on two (test/sched/stm). *)

type sleeper = { vproc : Vproc.t; resume : unit Dromos_suspend.resumer }

(** {1 In an atomic word of the queue} *)

val choose :
  able:(Vproc.t -> bool) -> sleeper list -> sleeper list * sleeper list
(** Splits the list into the instances to wake, which are all [able], and the
    instances that stay. The caller must wake the chosen instances, or choose
    again. *)

val wake : sleeper list -> bool
(** Wakes the chosen instances. [false] if the first instance, the preferred
    one, had been cancelled: the caller must then choose again, although some
    instances with busy vprocs were woken. *)

(** {1 Beside queues} *)

type t

val create : unit -> t

val sleep : ?at:Vproc.t -> t -> reason:string -> unless:(unit -> bool) -> unit
(** Called by an instance that has found no work: waits to be woken, [unless]
    there is work by now. [at] (default: the host) is the vproc for which the
    instance works. May return without work. Raises [Cancelled]. *)

val wake_one : t -> unit
(** Called after adding work that any vproc may take. From anywhere. *)

val wake_able : t -> able:(Vproc.t -> bool) -> unit
(** Called after adding work for the [able] vprocs only. An instance that was
    woken for work of all vprocs, and takes work of its own vproc instead, must
    call {!wake_one}. *)
