(** [allocate.c], [leaf.c], [bulk_pin.c], [sweep.c]: the chunks of a heap, in
    programs where chunks matter. An allocation in the holes of a chunk
    overwrites every unpinned object of that chunk. *)

val in_one : State.t -> int -> (State.obj -> bool) -> bool
(** [in_one s c p] is true if chunk [c] has an object for which [p] is true. *)

val allocate : Rules.t -> State.t -> int -> (State.t * State.spot) list
(** Allocates in a leaf: in the leaf's area, if any; otherwise in a new chunk or
    in the holes of an old one. *)

val allocate_large : State.t -> State.t * State.spot
(** Allocates an object in a chunk of its own. *)

val fresh : State.t -> int
(** The number of a new chunk. *)

val old : State.t -> int -> State.t
(** Makes all objects of a leaf old. The leaf's next allocation opens another
    area. *)

val brought_back : Rules.t -> State.obj -> State.obj
(** The object after the end of its bulk pin. Its chunk may contain unpinned
    objects, since some chunks were young. *)

val given : State.obj -> State.obj
(** The object of a chunk that is given to the frozen heap. *)

val taken : State.obj -> State.obj
(** The object of a chunk that a leaf takes from the frozen heap. *)

val has_bits : State.obj -> bool
(** True if the object has pin bits of its own, expired or not. *)

val chunk_of : State.obj -> int
(** The number of the object's chunk, or 0. *)

val judges : Rules.t -> State.t -> State.obj -> bool
(** True if a cycle judges the object's chunk: the unmarked objects there are
    dead. *)

val settle : State.t -> int list -> State.t
(** Ends the sweep of the given chunks: the dead objects are pinned no more. *)
