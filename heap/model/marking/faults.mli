val all : (Rule.t * Scenario.t) list
(** What shows that the rule is needed. *)
