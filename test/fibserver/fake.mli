(** Servers that do as they are told, for the load generator. On Lwt. *)

type reply =
  | After of float * int * string  (** seconds, status, body *)
  | Never
  | Hang_up  (** closes the connection instead *)

val with_server : (int -> reply) -> (Unix.sockaddr -> 'a Lwt.t) -> 'a Lwt.t
(** [with_server reply f]: [reply i] is what becomes of the [i]th request that
    arrives, from 0. Requests on different connections are answered side by
    side. *)

val with_serial : (int -> reply) -> (Unix.sockaddr -> 'a Lwt.t) -> 'a Lwt.t
(** One request at a time, whatever the connection; in order of arrival. *)

val nobody : unit -> Unix.sockaddr
(** An address at which nobody listens. *)
