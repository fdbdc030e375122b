(** A vproc's own queue of fibers, for schedulers. Internal. *)

open Types

val enq_on : worker -> handle -> unit
(** Puts a fiber into that vproc's queue, and pins the fiber to the vproc. Any
    thread may call [enq_on]. *)

val deq : worker -> fiber -> handle
(** Takes the oldest fiber of the vproc's queue; waits while the queue is empty.
    Called by a scheduler's fiber on that vproc; from then on the scheduler
    serves the queue in place of the kernel's loop. *)

val stop_serving : worker -> fiber -> unit
(** The scheduler stops serving the vproc's queue. Called on the vproc. *)
