(** The web service: documents kept in SQLite, searched, and compared with each
    other. README.md has the addresses.

    Each request has a deadline (504 afterwards). If a client leaves, the work
    for its request is cancelled. A job is refused (503) while too many jobs
    wait. All functions are for Lwt's thread. *)

type t

val start :
  ?deadline:float ->
  ?limits:Example_http.Limits.t ->
  ?log:(string -> unit) ->
  ?running:int ->
  ?waiting:int ->
  ?largest:int ->
  ?page:string ->
  ?compare:
    (Engine.each ->
    Documents.Comparison.progress ->
    at_least:float ->
    Documents.Store.document array ->
    Documents.Store.pair list) ->
  Engine.t ->
  Documents.Store.Connections.t ->
  Lwt_unix.file_descr ->
  t Lwt.t
(** Serves until {!stop}, and runs the jobs that an earlier server of the
    database has left. [log] gets one line for each failure of the server
    ({!Example_http.Serving.start}) and of a job. [deadline] (30) is the number
    of seconds for a request, [running] (1) the number of jobs that run at a
    time, [waiting] (8) the number of jobs that may wait, [largest] (a million)
    the greatest number of bytes of a request's body. [compare] does a job
    ({!Documents.Comparison.pairs}); [page] is the answer to [GET /]. *)

val port : t -> int

val requests : t -> int
(** The number of requests under way. *)

val jobs : t -> Jobs.counts

val stop_on_signal : say:(string -> unit) -> t -> unit Lwt.t
(** {!Example_http.Signals.stop_on_signal}. *)

val stop : ?grace:float -> t -> unit Lwt.t
(** {!Example_http.Serving.stop}; then {!Jobs.stop}: jobs without a waiting
    request wait for the next server of the database. *)
