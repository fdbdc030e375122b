(** The other programs of the lab, which its command starts. *)

val program : string -> string
(** Where the program of this path lies: beside the running one, as in a build
    tree, or in [lib/dromos-bench] of the prefix in which the running one is
    installed. *)
