(** One observed run, in a process of its own. *)

val main : string list -> unit
(** [LIMIT COMMAND ..]: prints the JSON object that the command prints, with
    figures added to it: [max_pause_ms], the longest stop of a domain;
    [gc_share], the share of the workers' time in stops (see {!Stops});
    [lost_events]. *)
