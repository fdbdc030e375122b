(** A web service in this process, and what its tests ask of it. *)

open Documents
open Web

val documents : (string * string) list
(** Titles and texts; the first two have most in common. *)

(** {1 Jobs that wait} *)

type gate
(** Where jobs wait until the test lets them on. *)

val gate : unit -> gate

val compare :
  gate ->
  Engine.each ->
  Comparison.progress ->
  at_least:float ->
  Store.document array ->
  Store.pair list
(** Makes one of three steps, waits, makes the others; one pair. *)

val started : gate -> unit Lwt.t
(** Some job waits there. *)

val left : gate -> int -> unit Lwt.t
(** So many jobs have left it, in whatever way. *)

val open_ : gate -> unit

(** {1 The service} *)

type t = { service : Service.t; address : Unix.sockaddr; port : int }

val run :
  ?database:string ->
  ?engine:(unit -> Engine.t) ->
  ?waiting:int ->
  ?largest:int ->
  ?page:string ->
  ?gate:gate ->
  (t -> unit Lwt.t) ->
  unit
(** [run f]: beside a service with {!documents} in a database of its own;
    without [gate] jobs are {!Comparison.pairs}. Stopped at the end. *)

val ask :
  t ->
  ?meth:string ->
  ?body:string ->
  string ->
  Example_http.Client.answer Lwt.t
(** On a connection of its own. *)

val expect :
  t -> ?meth:string -> ?body:string -> string -> int -> string -> unit Lwt.t
(** [expect t path status part]: the answer's status, and a part of its body. *)

val json : Example_http.Client.answer -> Yojson.Safe.t

val until : string -> (unit -> bool) -> unit Lwt.t
(** Waits for something that other threads bring about. *)
