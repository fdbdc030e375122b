(** From events to what each CPU ran and which threads were ready where, in the
    form that simulations have.

    A thread is ready from its wake-up or preemption until it runs, on the CPU
    of its last wake-up, migration or run. One whose first event is that it
    begins to run was ready before, from the beginning on. A CPU runs from the
    beginning on what it is seen to run first. Where that is not known (a CPU
    has no event, or none yet after its events were lost) it has a thread called
    {!not_known} in place of its own, so that it counts neither as idle nor as
    having two. Where no wake-ups were recorded, threads are not known to have
    waited before they run.

    Linux does not record each switch from a CPU's idle thread. The thread that
    is seen to run next then ran from its wake-up there on, and that wait does
    not count; where it was not woken there it is not known what ran. *)

open Dromos_policy_simulate

type t = {
  result : Engine.result;
      (** microseconds from {!begins} on; first the threads, then one for each
          CPU in place of what is not known *)
  threads : int;
  cores : int;
  begins : float;  (** after the first event, in microseconds *)
  woken : bool;  (** wake-ups were recorded *)
  missing : int;  (** switches that were not recorded, as later events show *)
}

val not_known : string

val of_trace : ?from:float -> ?until:float -> Trace.t -> t
(** Only what happened between the two times, in microseconds after the first
    event; but what came before is known. *)
