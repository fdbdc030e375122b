(** Files to begin with. *)

val standard : string
(** The folder of OCaml's standard library, whose sources resemble each other.
*)

val texts : string -> (string * string) list
(** Names and texts of the sources and texts (.ml, .mli, .txt, .md) in a folder,
    not below, by name. Raises [Failure] if it cannot be read. *)
