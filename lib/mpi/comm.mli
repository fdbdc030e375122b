(** A group of ranks, and the beginning and end of its operations. Internal. *)

type t = private {
  number : Raw.comm;  (** the communicator of messages *)
  inner : Raw.comm;  (** the communicator of collective operations *)
  rank : int;
  size : int;
  turn : Dromos_sync.Mutex.t;  (** held by the current collective operation *)
  mutable operations : int;  (** the number of operations begun; under [turn] *)
}

val tags : int
(** Tags are from 0 to [tags - 1]. *)

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
(** Ends a group without pending operations. A collective operation. *)
