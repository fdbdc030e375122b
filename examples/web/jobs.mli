(** The jobs of a server: so many run at a time, so many more wait in line, the
    oldest first, and beyond that they are refused. On Lwt's thread only. *)

type state =
  | Waiting
  | Running
  | Finished of int  (** pairs found *)
  | Cancelled
  | Failed of string

type job = {
  id : int;
  at_least : float;
  documents : int list option;  (** all *)
  progress : Documents.Comparison.progress;
  mutable state : state;
  changed : unit Lwt_condition.t;  (** a new state *)
}

type t

val create :
  ?running:int ->
  ?waiting:int ->
  ?remembered:int ->
  after:int ->
  (job -> int Lwt.t) ->
  t
(** [create ~after run]: jobs are numbered from [after + 1]. [run job] has it
    done, and gives the number of pairs; its promise is cancelled with the job.
    At most [running] (1) run, [waiting] (8) wait, and [remembered] (1000) that
    are over are found by {!find}. *)

val submit : t -> at_least:float -> documents:int list option -> job option
(** [None]: the line is full, or {!stop} was called. *)

val find : t -> int -> job option

val cancel : t -> job -> unit
(** Nothing if it is over. *)

val is_over : job -> bool

val wait : t -> job -> state Lwt.t
(** The state in which it ends. Whoever cancels this promise cancels the job. *)

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
(** Takes no more, and cancels those that are there. *)
