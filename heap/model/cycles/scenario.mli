(** Small programs, and their initial states. *)

type program = {
  regs : State.value list;  (** the registers at the beginning *)
  script : State.op list;  (** the operations at the beginning *)
  fuel : int;
      (** the number of operations that follow, each any operation of the menu
      *)
}

type t = {
  name : string;
  tasks : program list;
      (** the programs of the tasks; the first task runs in domain 0 *)
  domains : program list;
      (** the programs of the domains, run in their own leaves *)
  spawned : int;  (** the number of domains not spawned yet: the last ones *)
  menu : State.op list;
  statics : int;
  heap : State.value list list;
      (** the fields of the objects from 1 on: the variables, then the frozen
          objects *)
  fields : int;  (** the number of fields of a new object *)
  weak : State.value list;  (** the weak ones of the frozen objects *)
  chunks : bool;  (** new objects lie in chunks, and leaves are collected *)
  garbage : bool;  (** garbage stays in the state until it is freed *)
  cycles : int;
}

val initial : t -> State.t
