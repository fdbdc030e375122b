(** One client's connection: requests come in through {!Intake}, answers go out
    in bounded time. {!Serving} makes, counts and closes connections. *)

type t

val over : Lwt_unix.file_descr -> Limits.t -> t
val intake : t -> Intake.t

(** {1 Its state} *)

val waits_since : t -> float
(** The time ({!Clock}) at which the connection began to wait for its client:
    for a head, for a body, or until an answer is taken. [infinity] while the
    server works. *)

val waits : t -> unit
(** The connection waits for its client from now on. *)

val works : t -> unit

val busy : t -> bool
(** Between a request and its answer. *)

val set_busy : t -> bool -> unit

val unsent : t -> int
(** The bytes of the body that is being sent; 0 for a stream. *)

val gone : t -> unit Lwt.t
(** {!Serving.gone}. *)

(** {1 Sending} *)

exception Lost
(** The client has left, or takes nothing of the answer for [Limits.stalled]. *)

val send :
  t ->
  head_only:bool ->
  close:bool ->
  Cohttp.Response.t * Cohttp_lwt.Body.t ->
  unit Lwt.t
(** Sends an answer, without its body if [head_only]. With [close] the head says
    that the connection ends. Raises {!Lost}, and exceptions of a body's stream.
*)

val go_on : t -> unit Lwt.t
(** Sends [100 Continue]. *)

(** {1 The end} *)

val end_requests : t -> unit
(** The client can send nothing more: a reader finds the end. *)

val cut : t -> unit
(** Ends the connection in both directions; its reader or writer finds out. *)

val close : t -> lingering:bool -> unit Lwt.t
(** Closes the descriptor; with [lingering], only after the sending side has
    ended and {!Intake.discard} has dropped bytes for a second at most. *)
