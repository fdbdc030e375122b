(** What a test can ask for, done natively: building, running, comparing.

    The current folder is a part of what they work on. Each goes on from a state
    to the next, or raises. *)

type runtime = {
  name : string;
  flags : string list;  (** for ocamlopt *)
  settings : (string * string) list;  (** in the programs' environment *)
  limit_s : int;  (** how long one may run, in seconds *)
}

type state = {
  variables : Variables.t;
  runtime : runtime;
  source : string;  (** the folder that the test is in *)
  file : string;  (** its name there *)
  prefix : string;  (** of the folders of this branch *)
  build : string;
  library : string;
  ran : bool;  (** a program of its own was run, and ended as it should *)
}

exception Fail of string
(** It was done, and it is not right. *)

exception Skip of string
(** It cannot be done here. *)

val skip : ('a, unit, string, 'b) format4 -> 'a
val get : state -> string -> string
val set : string -> string -> state -> state
val append : string -> string -> state -> state
val unset : string -> state -> state

val command : ('a, unit, string, unit) format4 -> 'a
(** Of the shell; [Fail] if it does. *)

val library : source:string -> string -> unit
(** Builds in the second folder what test programs share, [testing.cmxa]. *)

(** {1 Actions} *)

val set_up : string -> state -> state
(** A folder for what is built, with links to the sources in it. *)

val compile : state -> unit
val run : state -> state
val compare : state -> unit
val script : state -> unit
val ocaml : state -> unit
val ocamlmklib : state -> unit
val copy : state -> unit
