(** The other structures against simple sequential ones, by random sequences of
    operations. *)

val tests : QCheck.Test.t list
