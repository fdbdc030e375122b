(** What people, and programs, are shown. *)

type timing = { label : string; wall : float; cpu : float }
(** One timed pass. *)

type measured = {
  workers : int;
  hub : string;
  rounds : int;
  timings : timing list;  (** medians; the parallel pass first *)
  stats : Dromos.stats;  (** of the last parallel pass *)
  differences : string list option;
      (** against the sequential pass; [None] if there was none *)
}

val medians : timing list list -> timing list
(** Given the timings of every round, each in the same order. *)

val print : Job.options -> string list -> Job.figures -> measured -> unit
(** Aligned tables on standard output. *)

val json : Job.options -> string list -> Job.figures -> measured -> unit
(** The same as one JSON object. *)

val printable : string -> string
(** Without the control characters a path may hold. *)
