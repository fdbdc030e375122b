(** Names, subjects and sizes of the benchmarks of growth and of contention, for
    {!Suite}. *)

val family : string
(** The family of the contestants ({!Roster.families}). *)

val growing : (string * string) list
(** The names, each with a line on the items that the benchmark makes [n] times.
*)

val sizes : int list
(** From a thousand to ten million, ascending. *)

val quick_sizes : int list

val contended : (string * string) list
(** The names, each with a line on the operation. *)

val tasks : int list
(** Numbers of contending tasks: 1 to 256. *)

val quick_tasks : int list

val operations : int
(** The number of operations of all tasks together. *)

val quick_operations : int
