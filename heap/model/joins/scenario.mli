(** Small programs, and their initial states. *)

type program = {
  script : State.op list;  (** the operations at the beginning *)
  fuel : int;
      (** the number of operations that follow, each any operation of the menu
      *)
}

type t = {
  name : string;
  domains : int;
  programs : program list;  (** the programs of the tasks, the root first *)
  own : program;
      (** the program of each domain while the domain runs no task *)
  menu : State.op list;
  forks : bool;  (** the menu of tasks includes forks *)
  fork_apart : bool;
      (** the menu of tasks includes forks that set the heap apart *)
  fields : int;  (** the number of fields of each object *)
  static : bool;  (** the root begins with a static variable *)
  leaves : bool;  (** leaves are collected, at any moment *)
  world : bool;  (** the world is collected, at any moment *)
  puts_off : bool;  (** any join may put expiry off *)
  deepest : int;  (** the largest depth of a pin for a fork *)
}

val initial : t -> State.t
