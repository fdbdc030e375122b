(** The events of Linux's scheduler, from its trace events. *)

type task = { pid : int; comm : string }
(** A thread, with its number in the kernel; 0 is the idle thread of a CPU. *)

(** The used events. Each has the name of the kernel's event; [Wakeup] stands
    for [sched_wakeup] and [sched_wakeup_new]. *)
type what =
  | Switch of { prev : task; ready : bool; dead : bool; next : task }
      (** [ready]: [prev] was preempted or yielded; [dead]: [prev] has ended *)
  | Wakeup of { task : task; onto : int; fresh : bool }
      (** [onto]: a CPU; [fresh]: the thread is new *)
  | Waking of { task : task; onto : int }
      (** a wake-up begins; used if the trace has no other wake-ups *)
  | Migrate of { task : task; from : int; onto : int }
  | Fork of task  (** the child *)
  | Exit of task
  | Lost of int
      (** this number of events of the CPU is missing before its next event; 0:
          the number is not known *)

type event = {
  at : int;  (** nanoseconds of the recorder's clock *)
  cpu : int;  (** the CPU with the buffer of the event *)
  current : int;  (** the pid that ran there, or -1 if unknown *)
  what : what;
}

type fault = { line : int; text : string }
(** A part that could not be read, and its line; 0 in a format without lines. *)

type t = private {
  events : event array;  (** in order of time *)
  cpus : int;
  names : (int, string) Hashtbl.t;
      (** the names of pids that may occur in [current] only *)
  lost : int;  (** the number of events known to be missing *)
  begun : bool;
      (** false: the buffers have lost their beginnings, and nothing is known of
          a CPU before its first event *)
  faults : fault list;  (** the first faults *)
  faulty : int;  (** the number of all faults *)
}

val make :
  ?cpus:int ->
  ?names:(int, string) Hashtbl.t ->
  ?overwritten:int ->
  ?faults:fault list ->
  event list ->
  t
(** Makes a trace of events in any order; events with the same time keep their
    order. [cpus]: the number of CPUs, as far as known. [overwritten] (0): the
    number of events lost at the beginning. *)

val interned : unit -> int -> string -> task
(** Returns the same task for the same number and name. *)
