(** Says of rows whether Dromos is ahead of its peers, equal, or behind. *)

type line = {
  bench : string;
  n : int;
  cutoff : int option;  (** [None] where there is none *)
  workers : int;
  scheduler : string;  (** the contestant of Dromos *)
  peer : string;  (** what it is compared with *)
  outcome : (Paired.t, string) result;
      (** or one line on why the two cannot be compared *)
}

val lines : Row.t list -> line list
(** A line for each row of a contestant of Dromos ({!Rivals.of_ours}) against
    the best of its peers in the same benchmark, size, cut-off and number of
    workers: the one with the least median. On one worker, a second line against
    the plain program. Rows without times of their single runs, as older files
    have them, are compared with nothing and say so. *)

val print : Format.formatter -> line list -> unit
(** The lines as an aligned table, and how many there are of each verdict. *)

val to_json : line list -> Yojson.Safe.t
(** A list of objects with the fields of {!line}, [pairs], [ratio], [low],
    [high] and [verdict], which are [null] where two rows cannot be compared,
    and [failure], the reason why. *)
