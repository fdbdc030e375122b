(** Prints definitions without notations. Each definition becomes a sentence
    that makes Coq compare the definition with the one that {!Coq} prints with
    notations. If Coq accepts the sentence, Coq reads the notations as the
    translator means them. *)

val comparison : Format.formatter -> Heaplang.definition -> unit
