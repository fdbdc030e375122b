(** A policy as one WhyML file, for those who want to check with other tools,
    and read what was checked: the theories (policy/theories), the policy's
    phases as predicates to which the theory of balancing is applied, and every
    other obligation as a goal; but not those of LCWC where balancing mends what
    a placement leaves ({!Prove.mended_by_balancing}). `why3 prove -a split_vc
    -P z3 FILE` proves all of it exactly if {!Prove.policy} does. *)

val export : Dromos_policy_core.Core.policy -> string
(** @raise Symbolic.Too_many_paths *)
