(** Reads recorded schedules in all known formats. *)

val file : string -> (Trace.t, string) result
(** Reads the text of ftrace, [trace-cmd report] or [perf script] ({!Text}), or
    the file of [perf sched record] ({!Perf_data}). The error says what is wrong
    with the file, or that the file has no event of the scheduler. *)

val text : string -> (Trace.t, string) result
(** The same for the contents of a file. *)
