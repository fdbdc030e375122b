(** Machines, for simulations:
    [{"cores": 8, "domains": [[[0, 1], [2, 3]], ..]}], each domain a list of
    groups, each group a list of cores; or in short ["8"] (flat), ["8/4"] (nodes
    of 4 cores, and a domain over them). *)

open Dromos_policy_semantics

val of_string : string -> (Topology.t, string) result
(** The short form. *)

val of_file : string -> (Topology.t, string) result
