(** Instances of a scheduler that wait for work, and who of them is woken.
    Internal: {!Shared_queue} and {!Gang_queue} keep the list in their own word,
    {!Stealing} beside its queues.

    {b Who is woken} for something new: one whose vproc has nothing else to do,
    and besides those whose vprocs are busy, since one of these may be free
    sooner. So work does not wait for a busy vproc while another is idle.

    Lock-free; linear in the number of instances that wait. Memory ordering:
    what was done before a wake-up happens before what the woken one does.
    Neither waits nor raises, but for {!sleep}. Model-checked
    (test/sched/model): nobody sleeps beside work, is woken by two, or takes a
    wake-up along that another needs; what only some may take wakes one of them
    and nobody else; one whose vproc is idle is preferred, and with [at] that
    vproc counts. Tested: random programs against a model, on one domain and on
    two (test/sched/stm). *)

type sleeper = { vproc : Vproc.t; resume : unit Dromos_suspend.resumer }

(** {1 In a word of the queue's own} *)

val choose :
  able:(Vproc.t -> bool) -> sleeper list -> sleeper list * sleeper list
(** Those to be woken of the [able], and those that stay. Who is chosen must be
    woken, or others asked. *)

val wake : sleeper list -> bool
(** [false] if the first of them, the preferred one, had been cancelled: others
    are to be asked then, though some were woken whose vprocs are busy. *)

(** {1 Beside queues} *)

type t

val create : unit -> t

val sleep : ?at:Vproc.t -> t -> reason:string -> unless:(unit -> bool) -> unit
(** By an instance that has found nothing: waits to be woken, [unless] there is
    something by now. [at] (default: the host) is the vproc that it works for.
    May return in vain. Raises [Cancelled]. *)

val wake_one : t -> unit
(** By whoever has added something, after that. From anywhere. *)

val wake_able : t -> able:(Vproc.t -> bool) -> unit
(** The same for something that only those may take. One that was woken for what
    all may take, and finds such a thing instead, must call {!wake_one}. *)
