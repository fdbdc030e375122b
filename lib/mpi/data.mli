(** Bigarrays between ranks, without a copy on the way.

    MPI reads or writes an array from the call to the end of the operation: the
    program changes or reads the array afterwards. All ranks give arrays of one
    kind; MPI does not check the kind. Counts are numbers of elements.

    Messages of [Data] differ from messages of values: use a tag for only one of
    the two. Tags are from 0 to 32767; other numbers raise [Invalid_argument].
*)

type ('a, 'b) t = ('a, 'b, Bigarray.c_layout) Bigarray.Array1.t

val send : Comm.t -> tag:int -> to_:int -> ('a, 'b) t -> unit
(** Waits until MPI has read the array: for a long array, until the other rank
    receives. *)

val isend :
  Comm.t -> tag:int -> to_:int -> ('a, 'b) t -> unit Dromos_sync.Promise.t
(** MPI reads the array until the promise is resolved. *)

val recv :
  ?timeout:float -> ?from:int -> Comm.t -> tag:int -> ('a, 'b) t -> int * int
(** Fills the array from its beginning: returns the sender and the number of
    elements received. Raises [Too_long], and drops the message, if the array
    has no room. *)

val recv_event :
  ?from:int ->
  Comm.t ->
  tag:int ->
  ('a, 'b) t ->
  (int * int) Dromos_sync.Event.t

(** {1 Collective operations}

    All ranks call the same operations in the same order; see [Dromos_mpi].
    Wrong lengths of a rank's own arrays raise [Invalid_argument]; lengths that
    differ between ranks are an [Error] of MPI, or not noticed. *)

type operator = Sum | Product | Least | Greatest

val broadcast : Comm.t -> root:int -> ('a, 'b) t -> unit
(** Copies the root's array into the arrays of all other ranks. *)

val gather : Comm.t -> root:int -> ('a, 'b) t -> ('a, 'b) t -> unit
(** [gather comm ~root sent received]: the root receives all arrays, in the
    order of ranks; the second arrays of the other ranks are not used. *)

val all_gather : Comm.t -> ('a, 'b) t -> ('a, 'b) t -> unit

val scatter : Comm.t -> root:int -> ('a, 'b) t -> ('a, 'b) t -> unit
(** [scatter comm ~root sent received]: each rank receives one part of the
    root's array; other ranks' first arrays are not used. *)

val all_to_all : Comm.t -> ('a, 'b) t -> ('a, 'b) t -> unit
(** Rank [i] receives part [i] of rank [j]'s array as part [j]. *)

val reduce : Comm.t -> root:int -> operator -> ('a, 'b) t -> ('a, 'b) t -> unit
(** Combines the first arrays element by element into the root's second array.
    MPI chooses the order of additions: floats may differ in their last bits
    between numbers of ranks. *)

val all_reduce : Comm.t -> operator -> ('a, 'b) t -> ('a, 'b) t -> unit
