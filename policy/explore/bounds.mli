(** How large a machine is searched. *)

type t = {
  cores : int;
  threads : int;
  events : int;  (** of the environment, while the event lasts *)
  varied : bool;
      (** attributes of threads range over small sets; else they have their
          first values *)
}

val show : t -> string
(** "4 cores, 5 threads, 2 events" *)

val series : groups:bool -> varied:bool -> t list
(** From small to large. [groups]: machines with two groups of two cores. *)
