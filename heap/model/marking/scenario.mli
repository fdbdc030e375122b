(** Small programs, and the states they start from. *)

type program = {
  regs : State.value list;  (** what it begins with *)
  script : State.op list;  (** first *)
  fuel : int;  (** then so many operations of the menu, whichever *)
}

type t = {
  name : string;
  tasks : program list;  (** the first one runs in domain 0 *)
  domains : program list;  (** what they run in their own leaves *)
  spawned : int;
      (** so many of the domains, the last ones, are not there yet *)
  menu : State.op list;
  statics : int;
  heap : State.value list list;
      (** from 1: variables, then frozen objects; their fields *)
  fields : int;  (** of new objects *)
  weak : State.value list;  (** which of the frozen objects *)
  chunks : bool;  (** what is allocated lies in some, which are collected *)
  garbage : bool;  (** stays in the state until it is freed *)
  cycles : int;
}

val initial : t -> State.t
