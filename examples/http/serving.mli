(** An HTTP server on Lwt: cohttp, with what a server needs beside it. It tells
    a handler when the client has left, and it ends in an orderly way. All
    functions are for Lwt's thread. *)

type t

type connection
(** A client's. *)

type answer = Cohttp.Response.t * Cohttp_lwt.Body.t

val listen : host:string -> port:int -> Lwt_unix.file_descr
(** A listening socket; port 0 takes any free one. Raises [Failure] with a line
    that says what is wrong, and what to do. *)

val over : Lwt_unix.file_descr -> t
(** A server for that socket, which does not accept yet. *)

val start :
  ?connections:int ->
  t ->
  (connection -> Cohttp.Request.t -> Cohttp_lwt.Body.t -> answer Lwt.t) ->
  unit
(** Serves, until {!stop}; the function answers each request. Connections are
    kept alive. At most [connections] (900, so that descriptors do not run out)
    are open at a time, of all servers of the process together; others wait to
    be accepted. *)

val port : t -> int

val connections : t -> int
(** Open now. *)

val gone : connection -> unit Lwt.t
(** Resolved when the client has closed the connection, or its sending side. To
    be asked for after the request's body was read, and to be cancelled when the
    answer is there. (Not if the client had already sent another request behind
    this one: what is behind that cannot be seen.) *)

(** {1 The end} *)

val stop : ?grace:float -> t -> unit Lwt.t
(** Accepts no more, lets the requests that are under way end, for [grace]
    seconds (5), resolves {!give_up} then, and returns when all connections are
    closed. Idempotent; another call with a shorter [grace] shortens it. *)

val stopping : t -> bool

val give_up : t -> unit Lwt.t
(** Resolved when {!stop} waits no longer; handlers that still wait for
    something answer without it. To be cancelled freely. *)

val stop_on_signal :
  say:(string -> unit) -> under_way:(unit -> int) -> t -> unit Lwt.t
(** Resolved by the first [SIGINT] or [SIGTERM], for the caller to call {!stop}.
    The second one stops without grace, the third one ends the process with
    status 130. [say] is told each, in a line; [under_way] counts requests. *)
