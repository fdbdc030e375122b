(** The memory of a job, beside its time. *)

val job : Contestant.job -> Contestant.job
(** [job j] runs [j] and reports the figure [grown_kib] ({!Figures}): the peak
    of the resident memory at the end of the first run, above the resident
    memory after the input was made. Later runs in the process reuse memory of
    the first run, so only the first run reports. Reports nothing without
    [/proc]. *)
