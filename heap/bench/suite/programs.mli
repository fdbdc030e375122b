(** The programs of the suite. *)

val cross_language : Program.t list
(** The programs that also exist in C++, Go and Java: [heap/bench/peers]. *)

val all : Program.t list

val find : string -> Program.t option
(** Finds a program of [all], or of {!Stress}. *)
