(** Small programs, and the states they start from. *)

type program = {
  script : State.op list;  (** first *)
  fuel : int;  (** then so many operations of the menu, whichever *)
}

type t = {
  name : string;
  domains : int;
  programs : program list;  (** of the tasks, the root's first *)
  own : program;  (** of each domain, where it runs no task *)
  menu : State.op list;
  forks : bool;  (** are on the menu of tasks *)
  fork_apart : bool;  (** so are those that set apart *)
  fields : int;  (** of each object *)
  static : bool;  (** the root begins with a module's variable *)
  leaves : bool;  (** are collected, at any time *)
  world : bool;  (** is collected, at any time *)
  puts_off : bool;  (** put off what expires at a join, any of them *)
  deepest : int;  (** branches below are pinned for no deeper *)
}

val initial : t -> State.t
