(** A client that sends any bytes: half requests, slow ones, wrong ones. *)

type t

val connect : Unix.sockaddr -> t Lwt.t

val send : t -> string -> unit Lwt.t
(** Returns when the system has taken the bytes. A server that has closed the
    connection is no error. *)

val end_ : t -> unit
(** Ends the sending side. *)

val answer : t -> string Lwt.t
(** The next answer, head and body; what came of it if the connection ends. *)

val head : t -> string Lwt.t
(** The head of the next answer: for answers without a body. *)

val rest : t -> string Lwt.t
(** All bytes up to the end of the connection. *)

val close : t -> unit Lwt.t

val once : Unix.sockaddr -> string -> string Lwt.t
(** Connects, sends, and returns all bytes up to the end of the connection. *)

val status : string -> int
(** The status of an answer; 0 if there is none. *)
