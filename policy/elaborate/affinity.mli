(** [bool can_run(thread t, core c)] is a policy's affinity: it says no more
    than the system does, so that it stands still while handlers are at work. *)

val check : Dromos_policy_core.Core.policy -> Dromos_policy_syntax.Fault.t list
