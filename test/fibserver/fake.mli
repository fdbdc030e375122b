(** Servers with prescribed replies, for tests of the load generator. On Lwt. *)

type reply =
  | After of float * int * string  (** seconds, status, body *)
  | Never
  | Hang_up  (** closes the connection without an answer *)

val with_server : (int -> reply) -> (Unix.sockaddr -> 'a Lwt.t) -> 'a Lwt.t
(** [with_server reply f]: [reply i] is the reply to the [i]th request that
    arrives, from 0. Requests on different connections are answered side by
    side. *)

val with_serial : (int -> reply) -> (Unix.sockaddr -> 'a Lwt.t) -> 'a Lwt.t
(** Answers one request at a time, on all connections; in order of arrival. *)

val nobody : unit -> Unix.sockaddr
(** An address without a server. *)
