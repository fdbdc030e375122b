(** The other programs of the lab, started by its command. *)

val program : string -> string
(** The place of a program: beside the running program, as in a build tree, or
    in [lib/dromos-bench] of the prefix where the running program is installed.
*)
