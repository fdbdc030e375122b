(** The output, for people and for programs. *)

type kind =
  | Parallel  (** on Dromos *)
  | Peer  (** on another library *)
  | Alone  (** on one thread *)

type timing = { kind : kind; label : string; wall : float; cpu : float }
(** A timed pass. *)

type measured = {
  workers : int;
  hub : string;
  rounds : int;
  times : int;  (** the number of times that a pass does the job *)
  timings : timing list;  (** the least of all rounds; [Parallel] first *)
  stats : Dromos.stats;  (** the statistics of the last parallel pass *)
  differences : string list option;
      (** differences from the sequential pass; [None] without a sequential pass
      *)
}

val least : timing list list -> timing list
(** The shortest timing of each pass, over all rounds: other programs can only
    lengthen a pass. Each round has the timings in the same order. *)

val print : Job.options -> string list -> Job.figures -> measured -> unit
(** Aligned tables on standard output. *)

val json : Job.options -> string list -> Job.figures -> measured -> unit
(** The figures as a JSON object. *)

val printable : string -> string
(** The path without control characters. *)
