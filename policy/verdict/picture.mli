(** The picture of a violation: what each core runs and holds after each step,
    under the names of the policy, and which cores break the promise in the end.
*)

open Dromos_policy_explore
open Dromos_trace

val of_trace : ?hint:string -> Trace.t -> Timeline.t
