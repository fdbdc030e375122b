(** The corpus job over ranks: the same figures as {!Corpus.Job.parallel}'s.

    Files are read by the rank that takes them; words and phrases are counted
    where they were read, and each kind then goes to the one rank that its hash
    names, so that no rank holds all. Every rank reads the paths that rank 0 has
    found: they need a file system in common. *)

val job :
  Dromos_mpi.t ->
  Corpus.Progress.t ->
  Corpus.Job.options ->
  string list ->
  Corpus.Job.figures
(** On all ranks, in a run of each. Rank 0 finds the files. *)
