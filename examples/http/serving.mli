(** An HTTP server on Lwt, over cohttp, for clients of every kind: slow, silent,
    many at a time, or gone. Cohttp parses heads and writes answers; {!Intake}
    and this module bound the memory and the time that a client can take
    ({!Limits}). All functions are for Lwt's thread. *)

type t

type connection
(** A client's connection. *)

type answer = Cohttp.Response.t * Cohttp_lwt.Body.t

val over : Lwt_unix.file_descr -> t
(** A server for the socket ({!Socket.listen}). The server accepts connections
    after {!start}. *)

val start :
  ?limits:Limits.t ->
  ?log:(string -> unit) ->
  ?refusal:(Cohttp.Code.status_code -> string -> answer Lwt.t) ->
  t ->
  (connection -> Cohttp.Request.t -> answer Lwt.t) ->
  unit
(** Serves, until {!stop}; the function answers each request. A [HEAD] request
    reaches the function as [GET], and only the head of the answer is sent. An
    exception of the function is answered by 500. Connections are kept alive.

    [log] gets a line for each fault of the server: an exception of the
    function, descriptors that run out. By default the line goes to standard
    error. [refusal] makes the answer, by default a line of text, to a request
    that the function does not see ({!Head.parse}) or whose body raised
    {!Intake.Bad}. *)

val body : connection -> most:int -> string Lwt.t
(** The request's body; {!Intake.body}. A handler that does not read the body
    ends the connection, unless the body is short. *)

val port : t -> int

type figures = {
  connections : int;  (** open now *)
  refused : int;  (** requests that the function did not see *)
  closed : int;  (** connections closed to make room *)
}

val figures : t -> figures

val gone : connection -> unit Lwt.t
(** Resolved when the client has closed the connection, or its sending side. A
    handler cancels the promise when the answer is ready. The promise stays
    pending while bytes of the client wait to be read, since the end of the
    stream lies behind these bytes. *)

(** {1 The end} *)

val stop : ?grace:float -> t -> unit Lwt.t
(** Accepts no more connections, and lets the requests under way end, for
    [grace] seconds (5); then resolves {!give_up}, and a second later closes the
    connections whose clients do not take their answers. Returns when all
    connections are closed. Idempotent; a later call with a shorter [grace]
    shortens the time. *)

val stopping : t -> bool

val give_up : t -> unit Lwt.t
(** Resolved when {!stop} waits no longer; a handler that still waits then
    answers without its result. A caller may cancel this promise. *)
