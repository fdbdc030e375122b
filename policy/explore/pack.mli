(** States as short strings of bytes, equal for states that differ only in the
    names of threads, in the order of the frames, or in registers and attributes
    that do not matter any more.

    Threads are renamed in the order in which they are met: core by core, queue
    by queue, then in the frames; the rest are sorted by where they are and by
    their attributes. O(size of the state). *)

type t

val make : Machine.t -> Relevant.t -> system:bool -> late:Relevant.t -> t
(** [late] is for states in which no event of the environment can come or is
    under way: what only those would read is forgotten then, and so are threads
    that nobody will wake. *)

val pack : t -> Machine.state -> int
(** Into {!bytes}; the length. *)

val bytes : t -> Bytes.t
(** Overwritten by the next [pack]; may be another one after it. *)

val unpack : t -> Bytes.t -> int -> Machine.state -> unit
(** [unpack t b at s]: the state packed at [at]. Words that do not matter keep
    what [s] had there; frames that are not in use are free. *)
