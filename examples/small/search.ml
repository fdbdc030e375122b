(* Two searches at a time: the first answer counts, and the slower search is
   cancelled. The root is below 0, and the search upwards finds none. *)

let f x = (x * x) - 5476

let rec search step x () =
  Dromos.check () (* a cancelled search leaves here *);
  if x < 0 && f x = 0 then Some x else search step (x + step) ()

let () =
  match Dromos.run (fun () -> Dromos.first [ search 1 0; search (-1) 0 ]) with
  | Some root -> Printf.printf "found %d\n" root
  | None -> print_endline "found nothing"
