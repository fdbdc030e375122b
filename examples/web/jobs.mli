(** The jobs of a server. A limited number of jobs runs at a time, and a limited
    number waits, the oldest first; further jobs are refused. A {!book} outlives
    the server: it numbers the jobs and keeps their states. On Lwt's thread
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

type book = {
  accept :
    at_least:float -> documents:int list option -> watched:bool -> int Lwt.t;
      (** the number of a new job *)
  note : int -> Documents.Store.state -> unit Lwt.t;
      (** a new state of a job; never [Finished], which [run] notes *)
}

type t

val create :
  ?running:int ->
  ?waiting:int ->
  ?remembered:int ->
  ?log:(string -> unit) ->
  book ->
  (job -> int Lwt.t) ->
  t
(** [create book run]: [run job] does the job, notes the result, and returns the
    number of pairs; its promise is cancelled with the job. At most [running]
    (1) jobs run, [waiting] (8) wait, and {!find} finds the last [remembered]
    (1000) finished jobs. [log] gets a line for each job that fails, and for
    each state that the book does not take. *)

val resume : t -> Documents.Store.job list -> unit
(** Adds jobs that an earlier server has accepted; more than [waiting], if need
    be. *)

val submit :
  t ->
  watched:bool ->
  at_least:float ->
  documents:int list option ->
  job option Lwt.t
(** The job is in the book when the promise resolves; {!wait} must follow for a
    [watched] job. [None]: the queue is full, or {!stop} was called. Raises the
    exceptions of [accept]. If the promise is cancelled, so is the job. *)

val find : t -> int -> job option

val cancel : t -> job -> unit Lwt.t
(** Resolved when the job is over and the book says so. Does nothing if the job
    is over. *)

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

val stop : t -> unit Lwt.t
(** Accepts and starts no more jobs. Running jobs are interrupted, and wait
    again: in the book they wait for the next server, like the jobs that have
    not begun. Returns when the book knows. *)
