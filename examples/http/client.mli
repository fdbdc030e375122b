(** A small HTTP client on Lwt, for measuring and testing: requests over kept
    connections, answers with a length or in chunks. *)

type t
(** A connection. One request at a time. *)

exception Unexpected of string
(** The client does not understand the answer, or the connection ended. *)

val connect : Unix.sockaddr -> t Lwt.t
(** Raises [Unix.Unix_error]. *)

type answer = {
  status : int;
  header : string -> string option;  (** by its name in small letters *)
  body : string;
}

val request : t -> ?meth:string -> ?body:string -> string -> answer Lwt.t
(** [request t ~meth path] with [GET] and no body by default. Raises
    {!Unexpected} or [Unix.Unix_error]; then close the connection. *)

val get : t -> string -> (int * string) Lwt.t
(** Status and body. *)

val stream : t -> string -> (string -> bool) -> int Lwt.t
(** [stream t path f] calls [f] with each chunk of the answer, until [f] returns
    [false] or the answer ends, and returns the status. The rest of the answer
    stays unread: close the connection. *)

val close : t -> unit Lwt.t
(** A request under way raises. *)
