(** [perf.data], as [perf sched record] writes it. *)

val magic : string
(** what a file begins with *)

val read : string -> (Trace.t, string) result
(** Of a file's contents. *)
