(** The description of a fiber in messages: see {!Waiting}. Internal. Most
    fibers of a kind share a description. *)

type holder = private {
  mutable fiber_id : int;  (** the fiber's number, after the first wait *)
  fiber_name : string;
  mutable held_for : string;
      (** the reason of the wait while a scheduler has the fiber; [""]: no
          scheduler has *)
}
(** The record of whether a scheduler has the fiber. The record is apart from
    the fiber, because the collector may free the fiber earlier: see {!Dropped}.
    The worker that runs the fiber writes the record, and later the holder of
    the fiber's handle. *)

type t = private {
  kind : string;
      (** the kind of fiber, for messages about a fiber without a name *)
  name : string;  (** [""] without a name *)
  made_at : Printexc.raw_backtrace option;
      (** the place where the fiber was made; in the debug mode only *)
  mutable waits_at : Printexc.raw_backtrace option;
      (** the place where the fiber waits; in the debug mode only *)
  holder : holder;
}

val nobody : t
(** The description of {!Nobody.fiber}. *)

val make : ?kind:string -> ?name:string -> ?holder:holder -> unit -> t
(** The description of a fiber that the caller is making; [kind] is a task's
    unless given. *)

val of_task : string option -> t
(** The description of a task with this name, if any. *)

val branch : unit -> t
(** The description of a published branch. *)

val first : unit -> t
(** The description of a run's first fiber. *)

val apart : t -> t
(** A copy of the description, for a second fiber that no scheduler has. *)

val stands_at : t -> (int -> Printexc.raw_backtrace) -> unit
(** Stores the place of the wait; the function gets the depth of the backtrace.
    Only in the debug mode, where each fiber has a description of its own. *)

(** {1 Holders} *)

val no_holder : holder
(** The record of fibers that no scheduler gets; never written. *)

val holder : name:string -> holder
val numbered : holder -> int -> unit

val held : holder -> string -> unit
(** A scheduler has the fiber, for this reason; [""]: no scheduler has. *)
