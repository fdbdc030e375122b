(** Machines for simulations: [{"cores": 8, "domains": [[[0, 1], [2, 3]], ..]}],
    where each domain is a list of groups, and each group a list of cores. Short
    forms are ["8"] (flat) and ["8/4"] (nodes of 4 cores, and a domain over
    them). *)

open Dromos_policy_semantics

val of_string : string -> (Topology.t, string) result
(** Reads the short form. *)

val of_file : string -> (Topology.t, string) result
