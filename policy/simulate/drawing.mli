(** A simulation as a timeline, like figure 5 of the paper: what each core ran,
    how many threads it had, steals and balancings. {!Occupancy.wastes} are its
    findings. *)

open Dromos_trace

val timeline :
  policy:string -> workload:string -> cores:int -> Engine.result -> Timeline.t

val drawn :
  ?begins:float ->
  title:string ->
  facts:(string * string) list ->
  kinds:Timeline.kind array ->
  kind:(Occupancy.run -> int) ->
  taken:string ->
  cores:int ->
  Engine.result ->
  Timeline.t
(** The same under other names: [kind] of a run is its colour, [taken] what is
    said of a thread that is stolen; [begins] (0) is added to all times. *)
