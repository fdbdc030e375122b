(** The figures of a recorded schedule, which {!Summary} takes. Times are in
    microseconds. *)

open Dromos_policy_simulate

type times = {
  count : int;
  p50 : float;
  p90 : float;
  p99 : float;
  longest : float;
}

type used = {
  thread : string;  (** name and pid *)
  ran : float;
  could : float;  (** the time in which the thread ran or was ready *)
}

type t = {
  cores : int;
  events : int;  (** the events of the whole trace *)
  begins : float;  (** the time after the first event *)
  time : float;
  not_known : float;  (** core time in which the running thread is unknown *)
  busy : float;
      (** the share of the remaining core time in which threads ran *)
  idle_beside : float;
      (** core time in which a core was idle while another core had two threads
          or more. A trace does not say which threads may run where, so the time
          includes idle cores on which no such thread may run *)
  wasted : float;
      (** core time that could have been used, if every thread may run
          everywhere: at each moment, the smaller of two numbers: the idle
          cores, and the threads that other cores could have spared *)
  wasted_while : float;
      (** time with at least one core idle beside an overloaded core *)
  wastes : int;
      (** number of spans with a core idle beside an overloaded core *)
  longest_wastes : Occupancy.waste list;
      (** the five longest spans, longest first; times count from {!begins} *)
  woken : times;
      (** waits from a wake-up, or from a new thread's start, until the run *)
  preempted : times;  (** waits from a preemption or a yield until the run *)
  longest : Figures.wait option;
  still_waiting : int;  (** the threads that wait at the end *)
  migrations : int;  (** the runs on another core than the run before *)
  moved : int;  (** the ready threads that were moved from core to core *)
  switches : int;  (** the switches to a thread *)
  fairness : float;  (** Jain's index of ran / could *)
  used : used list;
      (** all threads that could run, longest running time first *)
  wakeups_recorded : bool;
      (** false: [woken] is empty, and all waits are counted too short *)
  lost : int;  (** the number of lost events *)
  faulty : int;  (** the number of faulty lines *)
  missing : int;  (** the number of missing switches, {!Schedule.t.missing} *)
}
