(** The variables of a test. Values refer to variables ([${name}]); lookups
    expand the references. *)

type t

val of_list : (string * string) list -> t

val get : t -> string -> string
(** [""] for an unset variable. *)

val words : t -> string -> string list
(** The words of the value, split at blanks; quotes keep a word together. *)

val set : string -> string -> t -> t
val append : string -> string -> t -> t
val default : string -> string -> t -> t
val unset : string -> t -> t
val all : t -> (string * string) list
