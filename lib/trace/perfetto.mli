(** Writes timelines for ui.perfetto.dev and chrome://tracing. *)

val of_timeline : ?microseconds:float -> Timeline.t -> string
(** Chrome's trace events: a thread for each lane, findings among the spans.
    [microseconds] is the length of one unit of time; 1 by default. Raises
    [Invalid_argument] as {!Timeline.to_html}. *)
