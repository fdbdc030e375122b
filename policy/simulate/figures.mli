(** The figures of a simulation, which {!Summary} takes. Times are in
    microseconds. *)

type wait = {
  thread : string;
  since : float;
  lasted : float;
  over : bool;
      (** false: the thread still waited at the end of the simulation *)
  woken : bool;
      (** true: the wait began with a wake-up or a new thread; false: after a
          run *)
  ran : bool;  (** true: the wait ended with a run *)
}
(** A time in which a thread was ready and did not run. *)

type t = {
  time : float;  (** the time until the last thread ended *)
  busy : float;  (** the share of the cores' time in which threads ran *)
  idle_beside : float;
      (** core time in which a core was idle while another core had two threads
          or more: the length of all {!Occupancy.wastes} *)
  wasted : float;
      (** core time in which a core was idle while another core had a thread to
          spare: at each moment, the number of cores that could have been given
          a thread, and may run it *)
  wasted_while : float;
      (** time with at least one core idle beside an overloaded core *)
  waits : int;
      (** the number of waits: after a wake-up, a start, a preemption or a
          yield; a thread that is chosen again at once does not count *)
  wait_p50 : float;  (** over all waits, also those not over at the end *)
  wait_p95 : float;
  wait_p99 : float;
  wait_max : float;
  longest : wait option;  (** the first of the longest waits *)
  still_waiting : int;  (** the number of waiting threads at the end *)
  wake_p50 : float;
      (** waits from a wake-up, or from a new thread's start, until the run *)
  wake_p95 : float;
  wake_p99 : float;
  wake_max : float;
  migrations : int;  (** the runs on another core than the run before *)
  stolen : int;
  switches : int;
  balancings : int;
  fairness : float;
      (** Jain's index of the threads' shares of their runnable time: 1 means
          equal shares *)
}
