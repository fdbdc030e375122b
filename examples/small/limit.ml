(* A time limit around a call. After the limit the call is cancelled at its
   next wait, fork or check; [timeout] returns after the end of the call. *)

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
