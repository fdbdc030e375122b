(** Facts about a trace that only later events show, found before the main walk.
*)

type place = Sleeps | Ready_on of int

type t = {
  woken : bool;  (** the trace has wake-ups *)
  by_waking : bool;  (** the trace has only beginnings of wake-ups *)
  at_first : place array;
      (** by thread: the place before the first event, if the thread did not run
      *)
  runs_at_first : int array;  (** by CPU: the thread that runs at first *)
  enters : bool array;
      (** by event: after this event its thread runs on the CPU to which it
          came, without a switch. Linux does not always record the switch from
          the idle thread *)
  loses : bool array;
      (** by event: after this event the state of its CPU is unknown *)
  missing : int;  (** the number of missing switches, as later events show *)
  stays : bool array;
      (** by switch: the thread is ready although it left to sleep *)
}

val of_trace : Trace.t -> Threads.t -> t
