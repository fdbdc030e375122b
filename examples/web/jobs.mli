(** The jobs of a server. A limited number of jobs runs at a time, and a limited
    number waits, the oldest first; further jobs are refused. On Lwt's thread
    only. *)

type state =
  | Waiting
  | Running
  | Finished of int  (** pairs found *)
  | Cancelled
  | Failed of string

type job = {
  id : int;
  at_least : float;
  documents : int list option;  (** [None]: all documents *)
  progress : Documents.Comparison.progress;
  mutable state : state;
  changed : unit Lwt_condition.t;  (** signals a new state *)
}

type t

val create :
  ?running:int ->
  ?waiting:int ->
  ?remembered:int ->
  after:int ->
  (job -> int Lwt.t) ->
  t
(** [create ~after run]: jobs are numbered from [after + 1]. [run job] does the
    job, and returns the number of pairs; its promise is cancelled with the job.
    At most [running] (1) jobs run, [waiting] (8) wait, and {!find} finds the
    last [remembered] (1000) finished jobs. *)

val submit : t -> at_least:float -> documents:int list option -> job option
(** [None]: the queue is full, or {!stop} was called. *)

val find : t -> int -> job option

val cancel : t -> job -> unit
(** Does nothing if the job is over. *)

val is_over : job -> bool

val wait : t -> job -> state Lwt.t
(** The final state of the job. Cancelling the promise cancels the job. *)

type counts = {
  waiting : int;
  running : int;
  finished : int;
  cancelled : int;
  failed : int;
  refused : int;
}

val counts : t -> counts

val stop : t -> unit
(** Accepts no more jobs, and cancels all jobs. *)
