(** The places of threads, on every path of a handler.

    The code is run on partial knowledge: whether the thread of the event was
    moved, and to which state; whether the slot was filled; which queues of the
    core are empty or not; which threads and cores the variables hold. Paths
    with equal knowledge are merged. Functions are entered, since no function
    calls itself. Loops are run until the knowledge no longer changes. *)

open Dromos_policy_core

val touch : Knowledge.t -> int -> Knowledge.t
(** Forgets a queue after a possible change: nothing is known any more of the
    queue and of threads chosen from the queue. *)

val arrives : Knowledge.t -> Core.state -> Knowledge.t
(** A thread entered this READY state of the own core. The state is not empty
    now, and a state of one thread may have displaced the old thread. *)

val run :
  Knowledge.rules -> Core.block -> (Knowledge.t * Core.place option) list
(** The knowledge at the end of each path, with the place of the [return] that
    ends the path, if any. *)
