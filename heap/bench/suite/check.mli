(** Runs every program at its tiny size, with several numbers of workers, and
    compares the result with the sequential elision. Prints lines [PASS] and
    [FAIL], and exits with 1 after a failure. *)

val main : runtime:string -> unit
