(** A simulation as a timeline, as in figure 5 of the paper: what each core ran,
    how many threads the core had, steals and balancings. The findings are
    {!Occupancy.wastes}. *)

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
(** The same, with other names: [kind] of a run gives its colour, [taken] is the
    text for a stolen thread, and [begins] (0) is added to all times. *)
