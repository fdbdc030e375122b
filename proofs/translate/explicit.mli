(** The same definitions without notations: for each, a sentence that makes Coq
    compare the two. What {!Coq} prints with notations, Coq then reads as it was
    meant. *)

val comparison : Format.formatter -> Heaplang.definition -> unit
