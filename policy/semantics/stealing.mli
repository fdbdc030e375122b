(** The skeleton of [steal_for] (doc/policy/semantics.md, Stealing): the code
    around a policy's filter, selection and migration is the same for all
    policies. *)

val compile :
  Scope.t -> group:Code.expression option -> core:Code.expression -> unit
