(** Handles of runnable fibers, and directives that run them. Owner of [handle],
    [given] and of a directive's [go]. Internal.

    {v
      Go         --claim---> Resumed      one caller resumes the fiber
      Go         --recover-> Superseded   a newer handle can resume the fiber
    v}

    A fiber that waits or yields under a scheduler gets a handle. A handle
    resumes the fiber once. *)

open Types

val make : ?home:int -> fiber -> (unit -> unit) -> handle
(** [make fiber go] is the fiber's latest handle; [go] resumes the fiber on the
    thread that calls [go]. Called by the thread that has just taken the fiber
    off its worker. *)

type claim =
  | Go of (unit -> unit)
      (** resumes the fiber, on the worker that carries out the directive *)
  | Superseded  (** the fiber has a newer handle: nothing to do *)
  | Resumed  (** another caller has claimed the handle before *)

val claim : handle -> claim
(** Claims a handle; one caller gets [Go]. *)

val is_resumed : handle -> bool

val recover : handle -> handle option
(** A new handle in place of a handle that a scheduler may have or may have
    lost; [None] if the fiber has been resumed. *)

(** {1 Directives} *)

val resumed : unit -> unit
(** [go] of a directive that was carried out; compared by address. *)

val run : action -> fiber -> (unit -> unit) -> directive
(** The directive that runs the fiber under the action; the fiber's [given]. *)

val take : directive -> unit -> unit
(** Takes the [go] of a directive; {!resumed} if the directive was carried out,
    or runs no fiber. *)
