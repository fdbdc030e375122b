(** As much of an HTTP client as measuring and testing take: requests over kept
    connections, answers that say how long they are or come in chunks. On Lwt.
*)

type t
(** A connection. One request at a time. *)

exception Unexpected of string
(** The answer is not one that this client understands, or there is none. *)

val connect : Unix.sockaddr -> t Lwt.t
(** Raises [Unix.Unix_error]. *)

type answer = {
  status : int;
  header : string -> string option;  (** by its name in small letters *)
  body : string;
}

val request : t -> ?meth:string -> ?body:string -> string -> answer Lwt.t
(** [request t ~meth path] with [GET] and no body by default. Raises
    {!Unexpected} or [Unix.Unix_error]; the connection is then of no more use.
*)

val get : t -> string -> (int * string) Lwt.t
(** Status and body. *)

val stream : t -> string -> (string -> bool) -> int Lwt.t
(** [stream t path f] gets an answer in chunks, and calls [f] with each chunk as
    it comes, until [f] returns [false] or the answer ends. The status. What is
    left stays unread: the connection is of no more use. *)

val close : t -> unit Lwt.t
(** Also with a request under way, which then raises. *)
