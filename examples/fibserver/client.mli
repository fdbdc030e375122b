(** As much of an HTTP client as measuring takes: GET over kept connections,
    answers that say how long they are. On Lwt. *)

type t
(** A connection. One request at a time. *)

exception Unexpected of string
(** The answer is not one that this client understands, or there is none. *)

val connect : Unix.sockaddr -> t Lwt.t
(** Raises [Unix.Unix_error]. *)

val get : t -> string -> (int * string) Lwt.t
(** Status and body. Raises {!Unexpected} or [Unix.Unix_error]; the connection
    is then of no more use. *)

val close : t -> unit Lwt.t
(** Also with a request under way, which then raises. *)
