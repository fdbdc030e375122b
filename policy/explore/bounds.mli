(** The size of a searched machine. *)

type t = {
  cores : int;
  threads : int;
  events : int;  (** events of the environment during the event under test *)
  varied : bool;
      (** true: the attributes of threads range over small sets of values;
          false: attributes have their initial values *)
}

val show : t -> string
(** "4 cores, 5 threads, 2 events" *)

val alone : t list
(** A single core with any number of events, for {!Promise.Waiting}. *)

val among_thieves : t list
(** Two cores that steal from each other, for {!Promise.Waiting}. *)

val series : groups:bool -> varied:bool -> thieves:bool -> t list
(** The machines to search, from small to large. [groups]: the machines have two
    groups of two cores. [thieves]: other cores may steal during the event,
    which makes far more states. With groups and thieves the first machine
    therefore has three cores, a pair and a single core, and three threads:
    there two thieves that steal for one core already leave another core idle.
*)
