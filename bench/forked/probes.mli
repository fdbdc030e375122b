(** What a scheduler does when there is little to do, and what tasks weigh. Each
    is run in a process of its own. *)

val all : (string * (Sched.pool -> n:int -> (string * float) list)) list
