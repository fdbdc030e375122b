(** [bool can_run(thread t, core c)] is a policy's affinity. The function may
    read only attributes of the system, which do not change while handlers are
    at work. *)

val check : Dromos_policy_core.Core.policy -> Dromos_policy_syntax.Fault.t list
