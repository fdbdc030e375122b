(** A group of ranks, and how its operations are begun and ended. Internal. *)

type t = private {
  number : Raw.comm;  (** of messages *)
  inner : Raw.comm;  (** of collective operations *)
  rank : int;
  size : int;
  turn : Dromos_sync.Mutex.t;  (** one collective operation at a time *)
  mutable operations : int;  (** so many have begun; under [turn] *)
}

val tags : int
(** Tags are below it. *)

val of_number : Raw.comm -> t
(** A collective operation: all ranks of the group call it. *)

val check_rank : t -> call:string -> int -> unit
val check_tag : call:string -> int -> unit

val start : Raw.op -> (Raw.op -> unit) -> unit
(** [start op f] is [f op] on a thread for calls; frees the operation if [f]
    raises. *)

val free_after : Raw.op -> (Raw.op -> 'a) -> 'a

val complete : reason:string -> Raw.op -> unit
(** Waits, shielded, until the operation is over; raises its error. *)

val finish : reason:string -> Raw.op -> unit
(** {!complete}s the operation and frees it. *)

val run : t -> reason:string -> (unit -> Raw.op) -> unit
(** A collective operation that is one operation of MPI, started by the
    function. *)

val collective : t -> (int -> 'a) -> 'a
(** Runs one collective operation, in turn and shielded. The function receives
    the tag for messages on [inner]. *)

val split : t -> colour:int -> key:int -> t option
(** See {!Raw.split}. *)

val apart : t -> t
(** The same ranks, with messages and collective operations apart. *)

val free : t -> unit
(** Nothing of the group may be under way. A collective operation. *)
