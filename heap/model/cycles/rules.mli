(** Sets of rules. *)

type t = Rule.t list

val all : t
val on : Rule.t -> t -> bool
val without : Rule.t -> t
val name : Rule.t -> string
