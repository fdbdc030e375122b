(** Runs a program and watches over it. *)

type outcome =
  | Output of { text : string; max_rss_kib : int; others : float }
      (** the program's standard output, the peak of its memory (sampled), and
          the number of cores that other programs kept busy meanwhile *)
  | Failed of string  (** one line with the reason *)

val run : limit:float -> max_rss_mib:int -> string list -> outcome
(** The program is killed after [limit] seconds, or when its resident memory
    exceeds the bound. *)

val find : string -> string option
(** The program's place in [PATH]. *)
