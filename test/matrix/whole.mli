(** The matrix from the command line. *)

val main : ?peers:Party.kind list -> unit -> unit
(** Plays what the arguments and [MATRIX_SEED] and [MATRIX_ONLY] ask for, prints
    a table and exits. [peers] are parties beyond {!Parties.all}. *)
