(** The timed passes over the job: parallel, sequential, and on Domainslib where
    it is installed. *)

open Corpus

type arguments = {
  workers : int option;
  hub : Dromos.Hub.t;
  options : Job.options;
  check : bool;  (** also the sequential passes *)
  rounds : int;
  seconds : float;
      (** the job is repeated until the plain sequential code takes about so
          long; 0: no repetition *)
}

val measure :
  Progress.t ->
  ?world:Over_ranks.t ->
  arguments ->
  string list ->
  Job.figures * Report.measured
(** Runs every kind of pass [rounds] times. Call [measure] on every rank of the
    world. Raises the exceptions of the job. *)

val chart : Progress.t -> arguments -> title:string -> string list -> string
(** Runs the job once more and draws the workers' time: {!Recording.page}. *)
