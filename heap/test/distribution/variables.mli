(** What a test's variables hold. Values name others ([${name}]), and are
    expanded when they are looked up. *)

type t

val of_list : (string * string) list -> t

val get : t -> string -> string
(** [""] if there is none. *)

val words : t -> string -> string list
(** Apart by blanks; quotes keep one together. *)

val set : string -> string -> t -> t
val append : string -> string -> t -> t
val default : string -> string -> t -> t
val unset : string -> t -> t
val all : t -> (string * string) list
