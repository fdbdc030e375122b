(** The output, for people and for programs. *)

type timing = { label : string; wall : float; cpu : float }
(** A timed pass. *)

type measured = {
  workers : int;
  hub : string;
  rounds : int;
  timings : timing list;  (** medians; the parallel pass first *)
  stats : Dromos.stats;  (** the statistics of the last parallel pass *)
  differences : string list option;
      (** differences from the sequential pass; [None] without a sequential pass
      *)
}

val medians : timing list list -> timing list
(** The medians of the timings of all rounds; each round has the timings in the
    same order. *)

val print : Job.options -> string list -> Job.figures -> measured -> unit
(** Aligned tables on standard output. *)

val json : Job.options -> string list -> Job.figures -> measured -> unit
(** The figures as a JSON object. *)

val printable : string -> string
(** The path without control characters. *)
