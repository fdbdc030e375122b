(** The threads of a simulated program. Times are in microseconds. *)

type action =
  | Compute of float
  | Sleep of float  (** blocked until a timer or a device wakes the thread *)
  | Barrier of int  (** waits until all parties of the barrier have come *)
  | Acquire of int  (** a lock; first come, first served *)
  | Release of int
  | Spawn of thread
  | Join  (** waits for the threads that it has spawned *)
  | Yield
  | Detach  (** leaves the policy for good: the last action *)
  | Withdraw of string
      (** takes the thread of this name out of the policy; no effect if there is
          none. The withdrawn thread keeps its locks *)

and thread = {
  name : string;
  attached : bool;
      (** true: the thread comes from another policy, by the interface's
          [attach]; false: the thread is new *)
  settings : (string * int) list;
      (** attributes that the system sets, by name; attributes unknown to the
          policy are ignored *)
  actions : action Seq.t;
}

type t = {
  workload_name : string;
  described : string;  (** the parameters, for people *)
  barriers : (int * int) list;  (** the number of parties of each barrier *)
  starts : (float * thread) list;
      (** the threads that start on their own, with their times *)
  most_threads : int;  (** the number of all threads, also of spawned ones *)
}

(** {1 Synthetic workloads}

    [load] is the number of threads for each core, 1 by default; "kbuild" has
    that number of processes at a time, "oltp" has twice as many clients, and
    "mixed" has one more thread for each core. [length] multiplies the length of
    the run. All random numbers are drawn from [seed]. *)

val names : (string * string) list
(** The names, each with a line about the workload. *)

val synthetic :
  ?load:float ->
  ?length:float ->
  seed:int ->
  cores:int ->
  string ->
  (t, string) result
(** ["nas"]: iterations between barriers, with all threads made by one at the
    start; ["kbuild"]: short processes, a fixed number at a time, that compute
    and wait for files; ["oltp"]: clients that think, and take locks for short
    times; ["burst"]: threads that are woken all at once, again and again;
    ["mixed"]: long computations beside threads that wake often.

    An error lists the names, or says that the load or the length is too large.
*)

(** {1 Recorded workloads} *)

val settings_fit :
  Dromos_policy_core.Core.policy ->
  Dromos_policy_semantics.Topology.t ->
  t ->
  (unit, string) result
(** Checks the settings of attributes that name a core, a group or a domain: the
    value must exist on the machine, or be -1. *)

val unheard :
  Dromos_policy_core.Core.policy -> t -> (string * string) list * string list
(** The settings for which the policy has no [system] attribute of threads, each
    with the first thread that has the setting; and the names of these
    attributes of the policy. *)

val of_file : string -> (t, string) result
(** A trace, as JSON:
    [{"threads": [{"name": "w0", "start": 0, "settings": {"prio": 2}, "actions":
     [["compute", 100], ["sleep", 50], ["barrier", 0], ["acquire", 1],
     ["release", 1], ["yield"], ["join"], ["spawn", {..}], ["detach", "w1"],
     ["detach"]]}]}]; a thread with ["attach": true] comes from another policy.
    An error says what is wrong with the file, and where. *)
