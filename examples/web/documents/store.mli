(** The documents and what was found out about them, in SQLite.

    A connection is used by one thread at a time, and every call blocks it: the
    service makes them where blocking calls go ({!Engine.t}), through
    {!Connections}. Raises [Failure] with what SQLite says. *)

type t
(** A connection. *)

val connect : string -> t
(** Opens the file, makes the tables if they are not there. *)

val close : t -> unit

(** {1 Documents} *)

type document = { id : int; title : string; text : string }

val add : t -> title:string -> text:string -> int
(** The new document's number. *)

val fill : t -> (string * string) list -> unit
(** Adds all, in one transaction. *)

val count : t -> int
val document : t -> int -> document option

val search : t -> words:string list -> limit:int -> document list
(** Those with all these words, the best ones first; all, by number, if there
    are no words. *)

val documents : t -> int list option -> document list * int list
(** Those with these numbers, and the numbers that there are not; all of them
    for [None]. *)

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
(** The greatest number of a job that was kept, or 0. *)

val keep : t -> result -> pair list -> unit
(** In one transaction. *)

val result : t -> int -> result option

val pairs : t -> int -> limit:int -> (pair * string * string) list
(** Of a job, with both titles, those that have the most in common first. *)

(** {1 Connections} *)

module Connections : sig
  type store := t
  type t

  val create : ?max:int -> string -> t
  (** At most [max] (4) connections to that file, made as needed. *)

  val use : t -> (store -> 'a) -> 'a
  (** Waits for one that is free. To be called on a thread that may block. *)

  val stats : t -> Dromos.Resource_pool.stats
  val close : t -> unit
end
