(** Messages between two ranks, on a communicator. Internal.

    Operations that have begun are completed, also for a cancelled task.
    [reason] names the wait in reports and errors. *)

val send_op : reason:string -> Raw.comm -> Raw.op -> to_:int -> int -> unit
(** Sends a buffer and frees it: waits until MPI no longer reads the buffer. *)

val isend_op :
  keeps:'a -> Raw.comm -> Raw.op -> to_:int -> int -> unit Dromos_sync.Promise.t
(** Sends without a wait. [keeps] stays alive until the message is sent. *)

val marshal : 'a -> Raw.op
(** Marshals a value, with its closures. *)

val send_value : reason:string -> Raw.comm -> to_:int -> int -> 'a -> unit
val isend_value : Raw.comm -> to_:int -> int -> 'a -> unit Dromos_sync.Promise.t

exception Too_long of { room : int; length : int; from : int }

val pattern : Raw.comm -> ?from:int -> int -> Engine.pattern

val recv_value :
  ?timeout:float -> reason:string -> Raw.comm -> ?from:int -> int -> int * 'a
(** The source, and the value. *)

val value_event :
  reason:string ->
  Raw.comm ->
  ?from:int ->
  int ->
  (int * 'a) Dromos_sync.Event.t

val bytes_of : ('a, 'b, 'c) Bigarray.Array1.t -> int

val into :
  reason:string -> ('a, 'b, 'c) Bigarray.Array1.t -> Raw.op -> int * int
(** Receives a taken message; returns the source and the number of bytes. Raises
    {!Too_long}, and drops the message, if the array has no room. *)
