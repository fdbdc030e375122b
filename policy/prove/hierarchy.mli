(** HCWC of hierarchical balancing: policy/theories/groups.mlw. The obligations
    are those of {!Balancing} for balancing within a group, and three for the
    search among groups: [group_filter_complete], [group_select_member],
    [group_until_sound]. *)

open Dromos_policy_core.Core

val obligations : policy -> steal_group -> Obligation.t list
(** The three obligations of the search among groups.
    @raise Symbolic.Too_many_paths *)
