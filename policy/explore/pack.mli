(** States as short strings of bytes. Two states have the same string if they
    differ only in the names of threads, in the order of the frames, or in
    registers and attributes that no longer matter.

    Threads are renamed in the order of the walk over the state: core by core,
    queue by queue, then the frames. The rest are sorted by their places and
    attributes. O(size of the state). *)

type t

val make : Machine.t -> Relevant.t -> system:bool -> late:Relevant.t -> t
(** [late] is for states in which no event of the environment can come or is
    under way. In such states [pack] drops attributes read only by those events,
    and threads that will never wake. *)

val pack : t -> Machine.state -> int
(** Writes the packed state into {!bytes} and returns the length. *)

val bytes : t -> Bytes.t
(** The buffer, overwritten by the next [pack], which may also replace the
    buffer by a larger one. *)

val unpack : t -> Bytes.t -> int -> Machine.state -> unit
(** [unpack t b at s]: the state packed at [at]. Words that do not matter keep
    their values in [s]; unused frames are free. *)
