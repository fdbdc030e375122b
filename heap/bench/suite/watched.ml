(* The name of the span that marks the timed runs for an observer. *)

let span_name = "dromos.run"
