(** What is found out of a trace from later events, before it is gone through.
*)

type place = Sleeps | Ready_on of int

type t = {
  woken : bool;  (** wake-ups were recorded *)
  by_waking : bool;  (** wake-ups are those that only begin *)
  at_first : place array;
      (** of a thread: before its first event, if it did not run *)
  runs_at_first : int array;  (** of a CPU *)
  enters : bool array;
      (** after this event its thread runs on the CPU to which it came, without
          a switch: Linux does not always record the one from the idle thread *)
  loses : bool array;  (** after this event nothing is known of its CPU *)
  missing : int;  (** switches that are not there, as later events show *)
  stays : bool array;
      (** of a switch: the thread is ready although it left to sleep *)
}

val of_trace : Trace.t -> Threads.t -> t
