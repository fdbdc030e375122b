(** The beginning and the end of MPI in a process. Documented at [Dromos_mpi].
    Internal. *)

val with_ : (Comm.t -> 'a) -> 'a

val here : Comm.t -> Comm.t
(** The ranks of this machine. A collective operation. *)

val workers : Comm.t -> int
(** This rank's share of the machine's processors. A collective operation. *)
