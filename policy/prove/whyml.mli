(** A policy as one WhyML file, for users of other proof tools and for readers
    of the proof. The file has the theories (policy/theories), the policy's
    phases as predicates to which the theory of balancing is applied, and every
    other obligation as a goal. The file leaves out bounded waiting, and the
    obligations of LCWC where balancing mends what a placement leaves
    ({!Prove.mended_by_balancing}). `why3 prove -a split_vc -P z3 FILE` proves
    the whole file exactly if {!Prove.policy} proves the remaining properties.
*)

val export : Dromos_policy_core.Core.policy -> string
(** @raise Symbolic.Too_many_paths *)
