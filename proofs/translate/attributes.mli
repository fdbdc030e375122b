(** The attributes that the translator reads and the compiler ignores: ghost
    code, and instructions to the translator. An attribute's payload is a syntax
    tree without types. *)

val has : string -> Parsetree.attributes -> bool

val fresh : Parsetree.attributes -> string option
(** [[@fresh id]]: the name [id] of a new prophecy variable. *)

type resolve = { owner : string; key : string; id : string }

val resolve : Parsetree.attributes -> resolve option
(** [[@resolve owner, key, id]]: resolves the prophecy of the record [owner] to
    the pair of [key] and [id]. *)

val choice : Parsetree.attributes -> Parsetree.expression option
(** [[@choice n]]: the translation is any number from 0 to [n - 1]. The result
    is the expression [n]. *)

val untranslated : Parsetree.attributes -> string option
(** [[@@untranslated "why"]]: the translation leaves the definition out. The
    result is the reason. *)

(** {1 Misplaced attributes} *)

val forget : unit -> unit
(** Starts a new file: no attribute has been read. *)

val check_read : Parsetree.attribute -> unit
(** Refuses an attribute with one of the names above that no function above has
    read since {!forget}: the attribute is in the wrong place. *)
