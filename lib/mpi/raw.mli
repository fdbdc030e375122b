(** The stubs of MPI. Internal.

    Any thread may call if {!init} returns 3; else only the thread that called
    {!init}. Calls do not block, except {!finalize}, {!split}, {!comm_free} and
    {!wait}, which release the runtime. Calls raise {!Error}, and [Failure] in a
    program built without MPI. *)

exception Error of { call : string; code : int; text : string }

type op = private int
(** An operation: the address of a block that {!free} ends. *)

type comm = int

type data =
  (char, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

val no_data : data

val init : unit -> int
(** Begins MPI. The result is MPI's level of threads, from 0 to 3. Communicator
    0 is then the world. *)

val finalize : unit -> unit

val abort : int -> 'a
(** Ends all ranks; does not return. *)

val place : comm -> int * int
(** The rank, and the number of ranks. *)

val processor : unit -> string

val split : comm -> int -> int -> comm
(** [split comm colour key] is MPI's split. Colour -1 makes no communicator. *)

val idup : comm -> op
(** Duplicates a communicator; a collective operation. *)

val made : op -> comm
(** The communicator that {!idup} has made, when its operation is over. *)

val comm_free : comm -> unit

(** {1 Buffers} *)

val marshal : 'a -> Marshal.extern_flags list -> op
(** Marshals a value into memory outside OCaml's heap, without a copy. *)

val data : ('a, 'b, 'c) Bigarray.Array1.t -> int -> int -> op
(** [data array at length] is a part of the array, in bytes, without a copy: the
    caller keeps the array alive until the operation is over. *)

val room : int -> op
val length : op -> int
val unmarshal : op -> 'a

val free : op -> unit
(** Frees an operation that is over, or has not been started. *)

(** {1 Messages} *)

val isend : op -> comm -> int -> int -> unit
(** [isend op comm to_ tag] starts a send. *)

val improbe : comm -> int -> int -> op
(** [improbe comm from tag]: takes the first message that matches, or is
    {!none}; [from] -1 stands for any rank. *)

val none : op
val iprobe : comm -> int -> int -> int * int

val envelope : op -> int * int
(** The source and the number of bytes of a message. *)

val imrecv : op -> ('a, 'b, 'c) Bigarray.Array1.t -> int -> unit
(** Receives a taken message, into the operation's buffer ([at] = -1), or into
    the array from byte [at] on. The array must have room. *)

(** {1 The end of operations} *)

val test : op -> bool

val is_over : op -> bool
(** [true] if {!test} or {!wait} has seen the end of the operation. *)

val raise_error : op -> unit

val wait : op array -> int array -> int -> unit
(** [wait ops patterns us]: waits until an operation is over, a message matches,
    {!kick} is called, or [us] microseconds have passed (0: no limit). Only one
    thread calls [wait]. A pattern is a communicator, a source and a tag. *)

val kick : unit -> unit

(** {1 Collective operations} *)

val ibarrier : comm -> op
val ibcast : op -> comm -> int -> unit

val collect :
  int ->
  comm ->
  int ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  op
(** [collect kind comm root sent received]: kind 0 gathers at the root, 1
    gathers at all ranks, 2 scatters, 3 exchanges between all ranks. *)

val combine :
  bool ->
  comm ->
  int ->
  int ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  op
(** [combine at_all comm root operator sent received]; operator 0 adds, 1
    multiplies, 2 takes the least, 3 the greatest. *)
