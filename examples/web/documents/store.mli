(** Documents and results of jobs, in SQLite.

    One thread at a time uses a connection, and every call blocks the calling
    thread. The service therefore calls these functions on threads for blocking
    calls ([Engine.t]), through {!Connections}. A call raises [Failure] with
    SQLite's message. *)

type t
(** A connection. *)

val connect : string -> t
(** Opens the file. A new file gets its tables. *)

val close : t -> unit

(** {1 Documents} *)

type document = { id : int; title : string; text : string }

val add : t -> title:string -> text:string -> int
(** The new document's number. *)

val fill : t -> (string * string) list -> unit
(** Adds all documents in one transaction. *)

val count : t -> int
val document : t -> int -> document option

val search : t -> words:string list -> limit:int -> document list
(** The documents with all [words], the best match first. Without words the
    result is all documents, by number. *)

val documents : t -> int list option -> document list * int list
(** The documents with the given numbers, and the numbers without a document.
    [None] stands for all documents. *)

(** {1 Results} *)

type pair = { a : int; b : int; common : float }

type result = {
  job : int;
  at_least : float;
  compared : int;  (** documents *)
  pairs : int;
  seconds : float;
}

val last_job : t -> int
(** The greatest job number in the database, or 0. *)

val keep : t -> result -> pair list -> unit
(** Keeps a job's result and pairs in one transaction. *)

val result : t -> int -> result option

val pairs : t -> int -> limit:int -> (pair * string * string) list
(** The pairs of a job with both titles, the most similar pair first. *)

(** {1 Connections} *)

module Connections : sig
  type store := t
  type t

  val create : ?max:int -> string -> t
  (** A pool of at most [max] (4) connections to the file. *)

  val use : t -> (store -> 'a) -> 'a
  (** Calls the function with a free connection. The calling thread blocks until
      a connection is free. *)

  val stats : t -> Dromos.Resource_pool.stats
  val close : t -> unit
end
