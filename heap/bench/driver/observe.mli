(** Observes a single run, in a separate process. *)

val main : string list -> unit
(** [main [LIMIT; COMMAND; ..]] runs the command and prints its JSON object with
    further figures: [max_pause_ms], the longest stop of a domain; [gc_share],
    the share of the workers' time in stops (see {!Stops}); [lost_events]. *)
