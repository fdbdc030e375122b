(** Every program at its tiny size, under workers of several numbers, against
    its sequential elision: prints lines [PASS] and [FAIL], and exits with 1 if
    there is one of the latter. *)

val main : runtime:string -> unit
