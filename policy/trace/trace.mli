(** What Linux's scheduler did, as its trace events say. *)

type task = { pid : int; comm : string }
(** A thread, under its number for the kernel; 0 is a CPU's idle thread. *)

(** The events that are used: those of the same names, [sched_wakeup] and
    [sched_wakeup_new] being one. *)
type what =
  | Switch of { prev : task; ready : bool; dead : bool; next : task }
      (** [ready]: [prev] was preempted or yielded; [dead]: it has ended *)
  | Wakeup of { task : task; onto : int; fresh : bool }
      (** [onto] a CPU; [fresh]: a new thread *)
  | Waking of { task : task; onto : int }
      (** a wake-up begins: used where no other wake-ups were recorded *)
  | Migrate of { task : task; from : int; onto : int }
  | Fork of task  (** the child *)
  | Exit of task
  | Lost of int
      (** events of this CPU are missing before its next one, so many; 0: it is
          not known how many *)

type event = {
  at : int;  (** nanoseconds, of the recorder's clock *)
  cpu : int;  (** of whose buffer it is *)
  current : int;  (** the pid that ran there; -1: not known *)
  what : what;
}

type fault = { line : int; text : string }
(** Something that could not be read, in which line; 0 where there are no lines.
*)

type t = private {
  events : event array;  (** in order of time *)
  cpus : int;
  names : (int, string) Hashtbl.t;
      (** of pids that no event may be about, only [current] *)
  lost : int;  (** events, known to be missing *)
  begun : bool;
      (** false: the buffers have lost their beginnings, so that nothing is
          known of a CPU before its first event *)
  faults : fault list;  (** the first ones *)
  faulty : int;  (** all of them *)
}

val make :
  ?cpus:int ->
  ?names:(int, string) Hashtbl.t ->
  ?overwritten:int ->
  ?faults:fault list ->
  event list ->
  t
(** Of events in any order; those of the same time stay in theirs. [cpus] as far
    as is known, [overwritten] events at the beginning (0). *)

val interned : unit -> int -> string -> task
(** The same task for the same number and name. *)
