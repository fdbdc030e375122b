(** A policy twice: read by the machine of policy/semantics, and compiled, on
    policy/runtime. *)

open Dromos_policy_core
module Machine = Dromos_policy_semantics.Machine
module Runtime = Dromos_policy_runtime.Machine
module Hub = Dromos_hub.Hub

type t = {
  policy : Core.policy;
  machine : Machine.t;
  state : Machine.state;
  generated : Runtime.policy;
  runtime : unit Runtime.t;
  said : (string, int) Hashtbl.t;  (** values of the system *)
  drawn : int ref;
      (** draw of each [any], modulo its members, on both machines *)
  hub : unit Hub.t;
  tasks : unit Hub.task array;  (** by the machine's number of the thread *)
  pops : int array;  (** of each core *)
  asleep : bool array;  (** by core: has found no thread *)
  away : bool array;  (** by thread: has left the policy, and may come back *)
}

val make : cores:int -> threads:int -> Core.policy -> Runtime.policy -> t
(** Makes a pair on one flat domain, as compiled policies have. All cores are
    served, and all tasks have their words and are in no queue. A policy without
    a handler of newly_idle gets one that steals, as compiled policies steal. *)

val set_system : t -> (unit -> int) -> unit
(** Draws new values of all [system] attributes, the same for both machines. *)

val tell_sleep : t -> int -> unit
(** Copies to the machine the sleep time that the runtime has set. *)

val owners : t -> Core.attribute -> int
(** The number of owners of the attribute. *)

val compiled : t -> Core.attribute -> int -> int
(** The attribute's value for the owner with this number, in the runtime. *)

val word : t -> Core.attribute -> int
(** The number of the attribute's word, for the runtime. *)

val number_of : t -> unit Hub.task -> int
(** The machine's number of a thread. *)

val difference : t -> string option
(** Describes a difference between the two machines: queues in their order,
    running threads, words of cores, idle cores (if the policy looks),
    attributes. *)
