(** Describes in words how the values of a type look in HeapLang: a comment for
    readers of the generated file. *)

val of_type : Typedtree.type_declaration -> string option
