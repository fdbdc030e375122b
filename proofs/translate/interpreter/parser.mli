(** Definitions of HeapLang values in Coq files, read by the levels of Iris's
    notations. So the prelude is executed as it is written for Coq, and what the
    translator prints is executed as it will be read.

    Of a file, the sentences [Definition name : val := ...] are read; all others
    are passed over. *)

exception Error of string

val file : string -> Dromos_translate.Heaplang.definition list
