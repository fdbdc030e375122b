(** HCWC of hierarchical balancing: policy/theories/groups.mlw. The obligations
    of {!Balancing} for what is done in a group, and three for the search among
    groups: [group_filter_complete], [group_select_member], [group_until_sound].
*)

open Dromos_policy_core.Core

val obligations : policy -> steal_group -> Obligation.t list
(** those three.
    @raise Symbolic.Too_many_paths *)
