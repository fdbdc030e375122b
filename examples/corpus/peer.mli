(** The job on Domainslib, in a program built where Domainslib is installed. *)

type t = { run : 'a. workers:int -> (Corpus.Loops.t -> 'a) -> 'a }
(** [Corpus_domainslib.run] *)

val domainslib : t option
