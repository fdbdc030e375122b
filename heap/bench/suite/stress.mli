(** A program with an adjustable share of entanglement, after section 5.3 of the
    paper. Work, live memory and parallelism do not depend on the share. *)

val program : int -> Program.t
(** [program percent]: in [percent] of a hundred operations, concurrent tasks
    can reach the stored page. The program's name is [stress-PERCENT]. *)

val of_name : string -> Program.t option
(** Accepts 0 to 100 percent. *)
