(** Translates the definitions of a file. *)

type item = Comment of string | Definition of Heaplang.definition

type file = {
  items : item list;
  uses : string list;  (** other files, for example [base.queue_code] *)
}

val file : Scope.t -> Typedtree.structure -> file
val definitions : file -> Heaplang.definition list
