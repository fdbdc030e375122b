(** The memory of a job beside its time. *)

val job : Contestant.job -> Contestant.job
(** [job j] runs [j] and tells the figure [grown_kib] ({!Figures}): the peak of
    the resident memory at the end of the first run, above the resident memory
    once the input was made. Later runs in the process reuse memory of the first
    one, so only the first one tells. Tells nothing without [/proc]. *)
