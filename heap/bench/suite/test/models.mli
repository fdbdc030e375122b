(** Compares the remaining structures with simple sequential models, on random
    sequences of operations. *)

val tests : QCheck.Test.t list
