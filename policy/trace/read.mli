(** Recorded schedules, of any of the forms that are known. *)

val file : string -> (Trace.t, string) result
(** Text of ftrace, [trace-cmd report] or [perf script] ({!Text}), or what
    [perf sched record] writes ({!Perf_data}). The error says what is wrong with
    the file, or that there is no event of the scheduler in it. *)

val text : string -> (Trace.t, string) result
(** The same of a file's contents. *)
