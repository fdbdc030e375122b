(** A job, as JSON and as server-sent events. *)

open Example_http

val of_job : Jobs.job -> (string * Yojson.Safe.t) list
val of_result : Documents.Store.result -> (string * Yojson.Safe.t) list

val answer :
  Serving.connection ->
  (Jobs.job, (string * Yojson.Safe.t) list) Either.t ->
  Serving.answer Lwt.t
(** [progress] events with the fields of the job: one at once, then one whenever
    they differ, ten a second at most; an [end] event when the job is over, or
    at once for the fields of one that is. The stream ends then, or when the
    client leaves, or the server stops. *)
