(** S-expressions, as dune prints them. *)

type t = Atom of string | List of t list

exception Malformed of int
(** At that character. *)

val parse : string -> t

val field : string -> t -> t list
(** [field name record]: what follows [name] in the one item of the list that
    starts with it; [[]] if there is none. *)

val atom : t list -> string
(** The only atom; [""] if there is none. *)

val atoms : t list -> string list
(** The atoms of a list given as one item, or as items. *)
