(** A recorded schedule, drawn as simulations are
    ({!Dromos_policy_simulate.Drawing}): what each core ran, its threads each in
    its colour, how many threads were runnable there, and, marked, the times in
    which it was idle while another had two or more. Times in milliseconds after
    the first event. *)

open Dromos_trace

type made = { html : unit -> string; perfetto : unit -> string }
(** The page, and the same for ui.perfetto.dev. *)

val of_schedule : name:string -> Figures.t -> Schedule.t -> made
(** Of a schedule and its figures. *)

val timeline : name:string -> Figures.t -> Schedule.t -> Timeline.t

val of_trace : ?from:float -> ?until:float -> name:string -> Trace.t -> made
(** As {!Figures.of_trace}. *)
