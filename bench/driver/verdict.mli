(** Judges rows: Dromos is ahead of its peers, equal, or behind. *)

type line = {
  bench : string;
  n : int;
  cutoff : int option;  (** [None] if the benchmark has no cut-off *)
  workers : int;
  scheduler : string;  (** the contestant of Dromos *)
  peer : string;  (** the peer, or the plain program *)
  outcome : (Paired.t, string) result;
      (** the comparison, or a line with the reason if there is none *)
}

val lines : Row.t list -> line list
(** [lines rows] has a line for each row of a contestant of Dromos
    ({!Rivals.of_ours}) against the best peer in the same benchmark, size,
    cut-off and number of workers: the peer with the least median. On one worker
    a second line compares with the plain program. A row without the times of
    its single runs, as in older files, has a line with that reason. *)

val words : Paired.t -> string
(** The text of the verdict in the table: with the distance from equal, or with
    the number of runs if there are too few. *)

val print : Format.formatter -> line list -> unit
(** Prints the lines as an aligned table, and the number of each verdict. *)

val to_json : line list -> Yojson.Safe.t
(** A list of objects with the fields of {!line}, the fields [pairs], [ratio],
    [low], [high] and [verdict] of the comparison, [null] where there is none,
    and [failure], the reason why. *)
