(** Attributes that the compiler ignores: ghost code, and what the translator is
    told. Their payloads are syntax trees, which have no types yet. *)

val has : string -> Parsetree.attributes -> bool

val fresh : Parsetree.attributes -> string option
(** [[@fresh id]]: the name [id] of a prophecy variable. *)

type resolve = { owner : string; key : string; id : string }

val resolve : Parsetree.attributes -> resolve option
(** [[@resolve owner, key, id]]: resolves the prophecy of [owner]. *)

val choice : Parsetree.attributes -> Parsetree.expression option
(** [[@choice n]]: any number from 0 to n - 1. *)

val untranslated : Parsetree.attributes -> string option
(** [[@@untranslated "why"]]. *)

(** {1 Misplaced ones} *)

val forget : unit -> unit
(** Before each file. *)

val check_read : Parsetree.attribute -> unit
(** Refuses an attribute of the above that nobody has asked for since: it is in
    a place where it means nothing. *)
