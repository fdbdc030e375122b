(** The programs of the suite. *)

val cross_language : Program.t list
(** Those that C++, Go and Java have too: [heap/bench/peers]. *)

val all : Program.t list

val find : string -> Program.t option
(** One of all, or of {!Stress}. *)
