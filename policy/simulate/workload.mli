(** What the threads of a simulated program do. Times are in microseconds. *)

type action =
  | Compute of float
  | Sleep of float  (** blocked, until a timer or a device wakes it *)
  | Barrier of int  (** waits until all parties of this barrier have come *)
  | Acquire of int  (** a lock; first come, first served *)
  | Release of int
  | Spawn of thread
  | Join  (** waits for the threads it has spawned *)
  | Yield
  | Detach  (** leaves the policy for good: its last action *)
  | Withdraw of string
      (** takes the thread of this name out of the policy; nothing if there is
          none. What that thread holds it keeps. *)

and thread = {
  name : string;
  attached : bool;
      (** comes from another policy, by the interface's [attach]; else it is new
      *)
  settings : (string * int) list;
      (** attributes of the policy that the system sets, by name; those that a
          policy does not have are left out *)
  actions : action Seq.t;
}

type t = {
  workload_name : string;
  described : string;  (** for people: its parameters *)
  barriers : (int * int) list;  (** parties of each barrier *)
  starts : (float * thread) list;
      (** threads that are there from some time on *)
  most_threads : int;  (** there will ever be, spawned ones too *)
}

(** {1 Synthetic ones}

    [load] is the number of threads for each core, 1 if not said; [length] a
    factor on how long it goes on. All are drawn from [seed]. *)

val names : (string * string) list
(** With a line on each. *)

val synthetic :
  ?load:float ->
  ?length:float ->
  seed:int ->
  cores:int ->
  string ->
  (t, string) result
(** ["nas"]: iterations between barriers, all threads made by one at the start;
    ["kbuild"]: short processes, so many at a time, that compute and wait for
    files; ["oltp"]: clients that think, and take locks for short; ["burst"]:
    threads that are woken all at once, again and again; ["mixed"]: long
    computations beside threads that wake often.

    [Error]: which names there are. *)

(** {1 Recorded ones} *)

val settings_fit :
  Dromos_policy_core.Core.policy ->
  Dromos_policy_semantics.Topology.t ->
  t ->
  (unit, string) result
(** A setting of an attribute that names a core, a group or a domain says one
    that is there, or -1. *)

val unheard :
  Dromos_policy_core.Core.policy -> t -> (string * string) list * string list
(** Settings of which the policy has no [system] attribute of threads, each with
    the first thread that has it; and the attributes that there are. *)

val of_file : string -> (t, string) result
(** A trace, as JSON:
    [{"threads": [{"name": "w0", "start": 0, "settings": {"prio": 2}, "actions":
     [["compute", 100], ["sleep", 50], ["barrier", 0], ["acquire", 1],
     ["release", 1], ["yield"], ["join"], ["spawn", {..}], ["detach", "w1"],
     ["detach"]]}]}]; a thread with ["attach": true] comes from another policy.
    [Error] says what is wrong with it, and where. *)
