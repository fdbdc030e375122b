(** The HTTP server: cohttp on Lwt, in front of any way to compute.

    [GET /fib/N] answers with the Nth Fibonacci number, [GET /stats] with the
    figures of {!val-counts} as JSON, [GET /] with a line of help. Connections
    are kept alive. All functions are for Lwt's thread.

    If a client closes the connection, or shuts down its sending side, before
    the answer is ready, the server gives the request up: it cancels the promise
    of [compute]. ({!Example_http.Serving.gone} describes an exception.) *)

type t

val listen : host:string -> port:int -> Lwt_unix.file_descr
(** {!Example_http.Socket.listen}. *)

val start :
  ?most:int ->
  ?limits:Example_http.Limits.t ->
  ?log:(string -> unit) ->
  compute:(int -> int Lwt.t) ->
  Lwt_unix.file_descr ->
  t
(** Serves until {!stop}. [compute n] is called for [n] from 0 to [most] (45);
    an exception is answered with status 500, and [log] gets a line.
    {!Example_http.Serving.start} has [limits] and [log]. *)

val port : t -> int

type counts = {
  requests : int;  (** for Fibonacci numbers, well-formed *)
  computing : int;  (** requests being computed now *)
  answered : int;
  given_up : int;  (** the client has left *)
  refused : int;  (** ill-formed, too large, unknown path, shutting down *)
  failed : int;
  connections : int;  (** open now *)
}

val counts : t -> counts

val stop : ?grace:float -> t -> unit Lwt.t
(** {!Example_http.Serving.stop}: a request still under way after [grace]
    seconds (5) is given up. *)

val stop_on_signal : say:(string -> unit) -> t -> unit Lwt.t
(** {!Example_http.Signals.stop_on_signal}. *)
