(** A web service in this process, and the requests of its tests. *)

open Documents
open Web

val documents : (string * string) list
(** Titles and texts; the first two are the most similar. *)

(** {1 Waiting jobs} *)

type gate
(** A gate at which jobs wait until the test opens it. *)

val gate : unit -> gate

val compare :
  gate ->
  Engine.each ->
  Comparison.progress ->
  at_least:float ->
  Store.document array ->
  Store.pair list
(** Makes a step of three, waits, and makes the rest; returns one pair. *)

val started : gate -> unit Lwt.t
(** Returns when a job waits at the gate. *)

val left : gate -> int -> unit Lwt.t
(** Returns when the given number of jobs have left the gate, in whatever way.
*)

val open_ : gate -> unit

(** {1 The service} *)

type t = { service : Service.t; address : Unix.sockaddr; port : int }

val with_folder : (string -> unit) -> unit
(** The function gets the path of a database that does not exist yet, in a
    folder of its own. *)

val run :
  ?database:string ->
  ?engine:(unit -> Engine.t) ->
  ?deadline:float ->
  ?limits:Example_http.Limits.t ->
  ?log:(string -> unit) ->
  ?waiting:int ->
  ?largest:int ->
  ?page:string ->
  ?gate:gate ->
  (t -> unit Lwt.t) ->
  unit
(** [run f] runs [f] beside a service with {!documents} in a database of its
    own; without [gate], jobs are {!Comparison.pairs}. Without [log], a line of
    the log fails the test. The service is stopped at the end. *)

val ask :
  t ->
  ?meth:string ->
  ?body:string ->
  string ->
  Example_http.Client.answer Lwt.t
(** Asks on a connection of its own. *)

val expect :
  t -> ?meth:string -> ?body:string -> string -> int -> string -> unit Lwt.t
(** [expect t path status part]: the answer's status, and a part of its body. *)

val json : Example_http.Client.answer -> Yojson.Safe.t

val until : string -> (unit -> bool) -> unit Lwt.t
(** Waits until the test is true, by an action of other threads. *)
