(** A job, as JSON and as server-sent events. *)

open Example_http

val of_job : Jobs.job -> (string * Yojson.Safe.t) list
val of_stored : Documents.Store.job -> (string * Yojson.Safe.t) list

val answer :
  Serving.connection ->
  (Jobs.job, (string * Yojson.Safe.t) list) Either.t ->
  Serving.answer Lwt.t
(** A stream of events. [progress] events have the fields of the job: one event
    at once, then one for each change, at most ten a second. An [end] event
    comes when the job is over, or at once for a job already over. The stream
    ends then, or when the client leaves, or when the server stops. *)
