(** Collective operations on OCaml values. Documented at [Dromos_mpi]. Internal.

    Each operation runs in turn and to the end, so that a cancelled task leaves
    no rank waiting. *)

exception Failed of { rank : int; error : string; backtrace : string }

val barrier : Comm.t -> unit
val broadcast : Comm.t -> root:int -> (unit -> 'a) -> 'a
val gather : Comm.t -> root:int -> 'a -> 'a array option
val all_gather : Comm.t -> 'a -> 'a array
val scatter : Comm.t -> root:int -> (unit -> 'a array) -> 'a
val all_to_all : Comm.t -> 'a array -> 'a array
val reduce : Comm.t -> root:int -> ('a -> 'a -> 'a) -> 'a -> 'a option
val all_reduce : Comm.t -> ('a -> 'a -> 'a) -> 'a -> 'a
