(** The resources that the process has used so far. *)

val cpu : unit -> float
(** Seconds of processor time, of all threads, user and system. *)

val max_rss_kib : unit -> int option
(** The peak of the resident memory; [None] where there is no
    [/proc/self/status]. *)

val rss_kib : unit -> int option
(** The present resident memory. *)

val now : unit -> float
(** Seconds on a clock that only goes forward. *)
