(** Reading typed trees. *)

type t = {
  unit_name : string;  (** such as [Dromos_base__Queue] *)
  path : string;  (** of the source *)
  imports : string list;
  structure : Typedtree.structure;
}

val init : string list -> unit
(** Before anything is read: where compiled interfaces are. *)

val read : string -> (t, string) result
(** From the [.cmt] file that a build has left, or by typing a [.ml] file, as a
    module of a library "example". *)

val of_text : string -> string -> (t, string) result
(** [of_text path text]: a source that is not in a file. *)
