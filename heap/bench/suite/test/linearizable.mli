(** The structures with operations of a moment each, against sequential models,
    in one domain and in two. *)

val tests : QCheck.Test.t list
