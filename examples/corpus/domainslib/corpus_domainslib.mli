(** The job's loops on Domainslib, for a figure beside that of Dromos. *)

val run : workers:int -> (Corpus.Loops.t -> 'a) -> 'a
(** Calls the function in a new pool of [workers] domains, the caller included.
    The pool is torn down at the end, since its domains would slow other passes
    down. *)
