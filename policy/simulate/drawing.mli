(** A simulation as a timeline, like figure 5 of the paper: what each core ran,
    how many threads it had, steals and balancings. {!Occupancy.wastes} are its
    findings. *)

open Dromos_trace

val timeline :
  policy:string -> workload:string -> cores:int -> Engine.result -> Timeline.t
