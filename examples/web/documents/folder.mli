(** Initial documents, from files. *)

val standard : string
(** The folder of OCaml's standard library; many of its sources are similar. *)

val texts : string -> (string * string) list
(** Names and texts of the sources and texts (.ml, .mli, .txt, .md) in a folder,
    without its subfolders, by name; without binary files. Bytes outside UTF-8
    become U+FFFD. Raises [Failure] if the folder cannot be read. *)
