(** A program of which one can choose how entangled it is, after section 5.3 of
    the paper: work, memory that lives and parallelism stay what they are. *)

val program : int -> Program.t
(** Of so many operations in a hundred what they put away is in reach of other
    tasks. Called [stress-PERCENT]. *)

val of_name : string -> Program.t option
(** For 0 to 100 percent. *)
