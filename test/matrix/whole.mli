(** The matrix from the command line. *)

val main : ?peers:Party.kind list -> unit -> unit
(** Plays the cells selected by the arguments, [MATRIX_SEED] and [MATRIX_ONLY],
    prints a table and exits. [peers] are parties beyond {!Parties.all}. *)
