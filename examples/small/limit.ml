(* A time limit: what runs within it is cancelled at its next wait, fork or
   check, and [timeout] returns when all of it is over. *)

let answer name =
  if name = "slow" then Dromos.sleep 3600.;
  name ^ " answers"

let ask ~limit name =
  match Dromos.timeout limit (fun () -> answer name) with
  | text -> print_endline text
  | exception Dromos.Timeout -> Printf.printf "%s is too late\n" name

let () =
  Dromos.run (fun () ->
      ask ~limit:60. "quick";
      ask ~limit:0.05 "slow")
