(** A line of results. *)

type t = {
  bench : string;
  scheduler : string;
  workers : int;
  cutoff : int option;  (** [None] where there is none *)
  n : int;
  runs : int;
  disturbed : int;  (** of these, how many with too little of the machine *)
  median_s : float;
  min_s : float;
  max_s : float;
  runs_s : float list;
      (** the times of the single runs, run [i] at placement [i] modulo their
          number; empty in rows of older files *)
  cpu_s : float;  (** median processor time of all threads *)
  max_rss_kib : int option;  (** the most over the runs, input included *)
  ratio_to_sequential : float option;
      (** of medians; [None] if the sequential program was not in the run *)
  figures : (string * float) list;  (** what is special to this benchmark *)
  failure : string option;
      (** why there are no times; they are [nan] then, [null] in JSON *)
}

val figure : t -> string -> float option
val to_json : t -> Yojson.Safe.t

val of_json : Yojson.Safe.t -> t
(** Raises [Failure] with what is wrong. *)

val write : ?beside:(string * Yojson.Safe.t) list -> string -> t list -> unit
(** A file with the rows, the number of cores, the version of OCaml and the
    build profile that they hold for, and the fields [beside] them. *)

val read : string -> t list
(** Raises [Failure]. *)
