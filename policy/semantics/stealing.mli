(** The skeleton of [steal_for] (doc/policy/semantics.md, Stealing): what
    follows a policy's filter, selection and migration is always the same. *)

val compile :
  Scope.t -> group:Code.expression option -> core:Code.expression -> unit
