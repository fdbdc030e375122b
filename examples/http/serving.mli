(** An HTTP server on Lwt, over cohttp. A handler learns when the client has
    left, and {!stop} lets requests end. All functions are for Lwt's thread. *)

type t

type connection
(** A client's connection. *)

type answer = Cohttp.Response.t * Cohttp_lwt.Body.t

val listen : host:string -> port:int -> Lwt_unix.file_descr
(** A listening socket; port 0 stands for any free port. Raises [Failure] with a
    line that names the fault and the remedy. *)

val over : Lwt_unix.file_descr -> t
(** A server for the socket. The server accepts connections after {!start}. *)

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
(** Resolved when the client has closed the connection, or its sending side. A
    handler calls [gone] after reading the request's body, and cancels the
    promise when the answer is ready. The promise stays pending if the client
    has sent another request already, since the end of the stream lies behind
    that request. *)

(** {1 The end} *)

val stop : ?grace:float -> t -> unit Lwt.t
(** Accepts no more connections, and lets the requests under way end, for
    [grace] seconds (5); then resolves {!give_up}. Returns when all connections
    are closed. Idempotent; a later call with a shorter [grace] shortens the
    time. *)

val stopping : t -> bool

val give_up : t -> unit Lwt.t
(** Resolved when {!stop} waits no longer; a handler that still waits then
    answers without its result. A caller may cancel this promise. *)

val stop_on_signal :
  say:(string -> unit) -> under_way:(unit -> int) -> t -> unit Lwt.t
(** Resolved by the first [SIGINT] or [SIGTERM]; the caller then calls {!stop}.
    The second signal stops without grace, the third signal ends the process
    with status 130. [say] gets a line for each signal; [under_way] counts
    requests. *)
