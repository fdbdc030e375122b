(** The actions of a test, done natively: building, running, comparing.

    Actions read the current folder. An action returns the next state, or
    raises. *)

type runtime = {
  name : string;
  flags : string list;  (** for ocamlopt *)
  settings : (string * string) list;  (** in the programs' environment *)
  limit_s : int;  (** the time limit of a program, in seconds *)
}

type state = {
  variables : Variables.t;
  runtime : runtime;
  source : string;  (** the folder of the test *)
  file : string;  (** the test's name in [source] *)
  prefix : string;  (** the folder of the branch's build folders *)
  build : string;
  library : string;
  ran : bool;  (** the test has run a program, with the expected exit status *)
}

exception Fail of string
(** The action took place, and its result is wrong. *)

exception Skip of string
(** The action is not possible here. *)

val skip : ('a, unit, string, 'b) format4 -> 'a
val get : state -> string -> string
val set : string -> string -> state -> state
val append : string -> string -> state -> state
val unset : string -> state -> state

val command : ('a, unit, string, unit) format4 -> 'a
(** Runs a shell command; raises [Fail] if the command fails. *)

val library : source:string -> string -> unit
(** [library ~source folder] builds [testing.cmxa], the shared code of the
    tests, in [folder]. *)

(** {1 Actions} *)

val set_up : string -> state -> state
(** Makes the build folder, with links to the sources. *)

val compile : state -> unit
val run : state -> state
val compare : state -> unit
val script : state -> unit
val ocaml : state -> unit
val ocamlmklib : state -> unit
val copy : state -> unit
