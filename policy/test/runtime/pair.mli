(** A policy twice: as the machine of policy/semantics reads it, and compiled,
    on policy/runtime. *)

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
  said : (string, int) Hashtbl.t;  (** what the system says *)
  drawn : int ref;  (** what each [any] draws, modulo its members, in both *)
  hub : unit Hub.t;
  tasks : unit Hub.task array;  (** by the machine's number of the thread *)
  pops : int array;  (** of each core *)
  asleep : bool array;  (** it found nothing, by core *)
  away : bool array;  (** it left the policy, and may come back; by thread *)
}

val make : cores:int -> threads:int -> Core.policy -> Runtime.policy -> t
(** One flat domain, as compiled policies have it; all cores are served, all
    tasks have their words and are nowhere. The policy steals when it is newly
    idle, if it does not say what else it does: compiled ones do. *)

val set_system : t -> (unit -> int) -> unit
(** Draws all [system] attributes anew, the same in both. *)

val tell_sleep : t -> int -> unit
(** The runtime has told a thread how long it slept: so does the machine. *)

val owners : t -> Core.attribute -> int
(** How many have the attribute. *)

val compiled : t -> Core.attribute -> int -> int
(** Its value for the one of that number, in the runtime. *)

val word : t -> Core.attribute -> int
(** The number of the attribute's word, for the runtime. *)

val number_of : t -> unit Hub.task -> int
(** The machine's of a thread. *)

val difference : t -> string option
(** What is not the same in both: queues in their order, who runs, the words of
    cores, who is idle (if the policy looks), attributes. *)
