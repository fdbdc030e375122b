(** Probes of idle schedulers, and of the memory of tasks. Each probe runs in a
    process of its own. *)

val all : (string * (Sched.pool -> n:int -> (string * float) list)) list
