(** Reads [perf.data], the file of [perf sched record]. *)

val magic : string
(** the first bytes of the file *)

val read : string -> (Trace.t, string) result
(** Reads the contents of a file. *)
