(** A line of results. *)

type t = {
  bench : string;
  scheduler : string;
  workers : int;
  cutoff : int option;  (** [None] if the benchmark has no cut-off *)
  n : int;
  runs : int;
  disturbed : int;
      (** the number of runs during which other programs used too much of the
          machine *)
  median_s : float;
  min_s : float;
  max_s : float;
  runs_s : float list;
      (** the times of the single runs, run [i] at placement [i] modulo the
          number of placements; empty in rows of older files *)
  cpu_s : float;  (** median processor time of all threads *)
  max_rss_kib : int option;  (** the peak over the runs, input included *)
  ratio_to_sequential : float option;
      (** the ratio of the medians; [None] if the sequential program was not in
          the run *)
  figures : (string * float) list;  (** the special figures of the benchmark *)
  failure : string option;
      (** the reason if there are no times; the times are [nan] then, [null] in
          JSON *)
}

val figure : t -> string -> float option

val value : t -> string -> float
(** [nan] for a missing figure. *)

val to_json : t -> Yojson.Safe.t

val of_json : Yojson.Safe.t -> t
(** Raises [Failure] with the error. *)

val write : ?beside:(string * Yojson.Safe.t) list -> string -> t list -> unit
(** Writes a file with the rows; the number of cores, the version of OCaml and
    the build profile of the measurement; and the fields [beside]. *)

val read : string -> t list
(** Raises [Failure]. *)
