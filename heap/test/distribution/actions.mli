(** What a test asks to be done, done natively: building, running, comparing. *)

type runtime = {
  name : string;
  flags : string list;  (** for ocamlopt *)
  settings : (string * string) list;  (** in the programs' environment *)
  limit_s : int;  (** how long one may run, in seconds *)
  built : bool;
      (** Everything is there from another runtime in the same folder. *)
}

type outcome =
  | Passed
  | Failed of string  (** why *)
  | Other of string
      (** no native program that ran and was right was asked for: why not *)

val library : source:string -> string -> unit
(** Builds in the second folder what test programs share, [testing.cmxa]. *)

val test :
  library:string -> work:string -> runtime -> string -> Tsl.tree -> outcome list
(** [test ~library ~work runtime file tree] does it in the folder [work], and
    says what became of each end of [tree], from the left. *)
