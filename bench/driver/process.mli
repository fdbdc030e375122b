(** Runs a program and watches over it. *)

type outcome =
  | Output of { text : string; max_rss_kib : int; others : float }
      (** its standard output, the most memory seen (sampled), and how many
          cores other programs kept busy meanwhile *)
  | Failed of string  (** one line on why *)

val run : limit:float -> max_rss_mib:int -> string list -> outcome
(** The program is killed after [limit] seconds, or when its resident memory
    exceeds the bound. *)

val find : string -> string option
(** The program's place in [PATH]. *)
