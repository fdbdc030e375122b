(** Trace events as text: ftrace's ([/sys/kernel/tracing/trace], [trace_pipe],
    [trace-cmd report]) and [perf script]'s. *)

val read : string -> Trace.t
(** Of a file's contents. Events of other kinds, comments and stacks are passed
    over; what is none of these is a fault of its line. *)
