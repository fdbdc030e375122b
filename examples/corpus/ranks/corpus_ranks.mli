(** The corpus job over ranks: the figures of {!Corpus.Job.parallel}. A rank
    takes files, reads them, and counts their words and phrases. Each word or
    phrase then goes to the rank given by its hash, so that no rank holds all
    words. Every rank reads the paths found by rank 0: the ranks need a common
    file system. *)

val job :
  Dromos_mpi.t ->
  Corpus.Progress.t ->
  Corpus.Job.options ->
  string list ->
  Corpus.Job.figures
(** Call [job] on all ranks, in a run of each. Rank 0 finds the files. *)
