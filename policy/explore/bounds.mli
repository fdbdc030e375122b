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

val alone : t list
(** One core, on which any number of events come: for {!Promise.Waiting}. *)

val series : groups:bool -> varied:bool -> thieves:bool -> t list
(** From small to large. [groups]: machines with two groups of two cores.
    [thieves]: others may steal at the same time. There are far more states
    then: with groups the first machine is one of three cores, a pair and one
    alone, and three threads, where two that steal for one core already leave
    another idle. *)
