(** A recorded schedule, drawn like a simulation
    ({!Dromos_policy_simulate.Drawing}): what each core ran, with a colour for
    each thread; how many threads were runnable there; and, marked, the times in
    which the core was idle while another core had two threads or more. Times
    are in milliseconds after the first event. *)

open Dromos_trace

type made = { html : unit -> string; perfetto : unit -> string }
(** The page, and a file for ui.perfetto.dev. *)

val of_schedule : name:string -> Figures.t -> Schedule.t -> made
(** The page of a schedule and its figures. *)

val timeline : name:string -> Figures.t -> Schedule.t -> Timeline.t

val of_trace : ?from:float -> ?until:float -> name:string -> Trace.t -> made
(** The page of a trace; arguments as for {!Summary.of_trace}. *)
