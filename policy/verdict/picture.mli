(** A violation, drawn: what each core runs and holds after each step. *)

open Dromos_policy_explore
open Dromos_trace

val of_trace : ?hint:string -> Trace.t -> Timeline.t
