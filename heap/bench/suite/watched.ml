(* What a measurement and who watches it agree on. *)

let span_name = "dromos.run"
