(** The web service: documents that are kept in SQLite, searched, and compared
    with each other. Its addresses are in README.md.

    Each request has a deadline (504 after it), a client that leaves cancels
    what was done for it, and where jobs wait already in a long line the next
    one is refused (503). All functions are for Lwt's thread. *)

type t

val start :
  ?deadline:float ->
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
(** Serves, until {!stop}. [deadline] (30) is how many seconds a request has,
    [running] (1) how many jobs run at a time, [waiting] (8) how many more wait,
    [largest] (a million) the most bytes of a request's body; [compare] does a
    job ({!Documents.Comparison.pairs}); [page] is what [GET /] answers. *)

val port : t -> int

val requests : t -> int
(** Under way. *)

val jobs : t -> Jobs.counts

val stop_on_signal : say:(string -> unit) -> t -> unit Lwt.t
(** {!Example_http.Serving.stop_on_signal}. *)

val stop : ?grace:float -> t -> unit Lwt.t
(** {!Example_http.Serving.stop}; then jobs for which no request waited are
    cancelled. *)
