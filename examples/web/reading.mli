(** Small requests: documents are searched, read, and added. *)

open Documents
open Example_http

val query : Engine.t -> Store.Connections.t -> (Store.t -> 'a) -> 'a Lwt.t
(** Calls the database, on the engine's threads for blocking calls. *)

val search : Engine.t -> Store.Connections.t -> Uri.t -> Serving.answer Lwt.t
(** [?q=words&limit=N]: titles, each with the passage that has most of the
    words; the engine computes the passages. *)

val document : Engine.t -> Store.Connections.t -> int -> Serving.answer Lwt.t

val add :
  Engine.t ->
  Store.Connections.t ->
  largest:int ->
  Serving.connection ->
  Serving.answer Lwt.t
(** Adds a document from the JSON [{"title": .., "text": ..}]. *)
