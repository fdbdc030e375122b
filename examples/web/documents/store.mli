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

type hit = { document : int; name : string; marked : string }
(** [marked] is the document's text, with the found words between
    {!Similar.opening} and {!Similar.closing}. *)

val search : t -> words:string list -> limit:int -> hit list
(** The documents with all [words], the best match first. Without words the
    result is all documents, by number, and nothing is marked. *)

val documents : t -> int list option -> document list * int list
(** The documents with the given numbers, and the numbers without a document.
    [None] stands for all documents. *)

(** {1 Jobs}

    A job is in the database from the moment at which it is accepted, so its
    number is never given again, and the next server of the database knows it.
*)

type state =
  | Waiting
  | Running
  | Finished of {
      compared : int;  (** documents *)
      pairs : int;
      seconds : float;
    }
  | Cancelled
  | Failed of string
  | Lost  (** the server died while the job ran *)

type job = {
  number : int;
  at_least : float;
  chosen : int list option;  (** documents; [None]: all *)
  state : state;
}

val accept :
  t -> at_least:float -> documents:int list option -> watched:bool -> int
(** The number of a new job, in state [Waiting]. A client waits for a [watched]
    job. *)

val set : t -> int -> state -> unit
(** Every state but [Finished]: see {!keep}. *)

type pair = { a : int; b : int; common : float }

val keep : t -> int -> compared:int -> seconds:float -> pair list -> unit
(** Finishes a job, and keeps its pairs, in one transaction. *)

val job : t -> int -> job option

val resume : t -> job list
(** The waiting jobs that a new server has to run, by number. Jobs that ran
    become [Lost], since one of them may have been the server's end; a watched
    job that waited becomes [Cancelled], since its client has gone. For a server
    that starts: no other server may use the database. *)

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
