(** Reads typed trees. *)

type t = {
  unit_name : string;  (** for example [Dromos_base__Queue] *)
  path : string;  (** path of the source *)
  imports : string list;
  structure : Typedtree.structure;
}

val init : string list -> unit
(** [init folders] names the folders of compiled interfaces. Call [init] before
    reading any file. *)

val read : string -> (t, string) result
(** [read file] reads the [.cmt] file of a build, or types a [.ml] file as a
    module of a library "example". *)

val of_text : string -> string -> (t, string) result
(** [of_text path text] types the source [text]. Messages name [path]. *)
