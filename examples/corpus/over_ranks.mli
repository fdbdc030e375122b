(** The ranks of MPI, in a program built with the package [dromos-mpi]. *)

type t

val available : bool

val run : (t -> int) -> int
(** Runs the function in each rank; returns the status of the program. *)

val rank : t -> int
val size : t -> int

val workers : t -> int
(** The rank's share of its machine. *)

val job :
  t ->
  Corpus.Progress.t ->
  Corpus.Job.options ->
  string list ->
  Corpus.Job.figures

val agreed : t -> (unit -> 'a) -> 'a
(** Calls the function at rank 0 only; returns its result at every rank. *)
