(** What a client sends: heads and bodies, read in bounded memory and time.

    Cohttp's server reads lines of any length, waits for ever, and reads the
    rest of a body that the handler has refused, before it answers. So
    {!Serving} reads by this module, and gives cohttp only complete heads. For
    Lwt's thread. *)

type t

val over : Lwt_unix.file_descr -> Limits.t -> t
(** A reader of the descriptor, with a buffer of 16 KiB. *)

type head =
  | Head of Head.t
  | Silent  (** the client left, or sent nothing in time *)
  | Refused of Head.refusal  (** nothing more can be read *)

val head : t -> first:bool -> head Lwt.t
(** The next request, after the rest of the body before, if {!can_continue}. The
    [first] head has [Limits.head] seconds; a later head may begin within
    [Limits.idle]. A head that is not complete in time is refused with 408.
    Raises [Unix.Unix_error]. *)

val has_body : t -> bool
(** True while a part of the body is not read. *)

exception Bad of Head.refusal
(** The body is too large, badly encoded, or not complete. *)

val body : t -> most:int -> go_on:(unit -> unit Lwt.t) -> string Lwt.t
(** The whole body. A body of more than [most] bytes is refused with 413, before
    any of it is read if the client has told its length. [go_on] is called if
    the client waits for leave to send. Raises {!Bad} and [Unix.Unix_error], and
    may be cancelled; then the connection is over, as {!can_continue} says. *)

val can_continue : t -> bool
(** True if the next head can be found: the body was read, or at most 64 KiB of
    a body of known length are left. *)

val discard : t -> seconds:float -> unit Lwt.t
(** Drops the bytes that the client still sends, until the end of the stream or
    of the time. If the server closed the socket at once, the system would reset
    the connection, and the client might lose an answer. *)
