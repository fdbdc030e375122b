(** Reads definitions of HeapLang values from Coq files, by the levels of Iris's
    notations. The interpreter therefore runs the prelude as written for Coq,
    and runs the translator's output as Coq reads the output.

    The parser reads the sentences [Definition name : val := ...] of a file, and
    skips all other sentences. *)

exception Error of string

val file : string -> Dromos_translate.Heaplang.definition list
