(** The benchmarks of growth and of contention: names, what they are about, and
    sizes. {!Suite} makes benchmarks of them. *)

val family : string
(** The family of their contestants ({!Roster.families}). *)

val growing : (string * string) list
(** Each with a line that says what there are [n] of. *)

val sizes : int list
(** From a thousand to ten million, ascending. *)

val quick_sizes : int list

val contended : (string * string) list
(** Each with a line that says what an operation is. *)

val tasks : int list
(** How many contend: 1 to 256. *)

val quick_tasks : int list

val operations : int
(** How many there are in all, whatever the number of tasks. *)

val quick_operations : int
