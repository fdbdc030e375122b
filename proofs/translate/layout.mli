(** How the values of a type look in HeapLang, in words: a comment for readers
    of the generated file. *)

val of_type : Typedtree.type_declaration -> string option
