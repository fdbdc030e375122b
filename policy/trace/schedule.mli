(** Makes a schedule from events, in the form of simulations: what each CPU ran,
    and which threads were ready where.

    A thread is ready from its wake-up or preemption until its run, on the CPU
    of its last wake-up, migration or run. If a thread's first event is a run,
    the thread was ready from the beginning on, provided that the trace has
    wake-ups and has not lost its beginning. From the beginning on, a CPU runs
    the thread that it is first seen to run. If a CPU has no event, or none yet
    after events were lost, a stand-in thread called {!not_known} runs there, so
    that the CPU counts neither as idle nor as having two threads. If the trace
    has no wake-ups, waits after wake-ups are not known.

    Linux does not record each switch from a CPU's idle thread. The thread that
    is seen to run next then ran from its wake-up there on, and that wait does
    not count. If the thread was not woken there, it is not known what ran. *)

open Dromos_policy_simulate

type t = {
  result : Engine.result;
      (** times are in microseconds from {!begins} on. The threads of the trace
          come first, then a stand-in for each CPU *)
  threads : int;
  cores : int;
  begins : float;  (** the time after the first event, in microseconds *)
  woken : bool;  (** the trace has wake-ups *)
  missing : int;
      (** the number of switches that were not recorded, as later events show *)
}

val not_known : string

val of_trace : ?from:float -> ?until:float -> Trace.t -> t
(** The schedule between the two times, in microseconds after the first event.
    Earlier events are used to know the state at the beginning. *)
