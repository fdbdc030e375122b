(** What the process has used so far. *)

val cpu : unit -> float
(** Seconds of processor time, of all its threads, user and system. *)

val max_rss_kib : unit -> int option
(** The most memory that was ever resident; [None] where there is no
    [/proc/self/status]. *)

val rss_kib : unit -> int option
(** The memory that is resident now. *)

val now : unit -> float
(** Seconds on a clock that only goes forward. *)
