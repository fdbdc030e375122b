val all : (Rule.t * Scenario.t) list
(** Each rule, with a program that is refuted without the rule. *)
