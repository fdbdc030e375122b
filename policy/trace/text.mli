(** Reads trace events as text, of ftrace ([/sys/kernel/tracing/trace],
    [trace_pipe], [trace-cmd report]) and of [perf script]. *)

val read : string -> Trace.t
(** Reads the contents of a file. Events of other kinds, comments and stacks are
    skipped. Any other line is a fault. *)
