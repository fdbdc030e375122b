(** Compares the linearizable structures with sequential models, in one domain
    and in two. *)

val tests : QCheck.Test.t list
