(** The ranks of MPI, in a program that was built with package [dromos-mpi]. *)

type t

val available : bool

val run : (t -> int) -> int
(** Runs the function in each rank; the status of the program. *)

val rank : t -> int
val size : t -> int

val workers : t -> int
(** This rank's share of its machine. *)

val job :
  t ->
  Corpus.Progress.t ->
  Corpus.Job.options ->
  string list ->
  Corpus.Job.figures

val agreed : t -> (unit -> 'a) -> 'a
(** What the function returns at rank 0, where alone it is called. *)
