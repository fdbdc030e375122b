(* Two ways to an answer at once: the first answer counts, and the other search
   is cancelled. A root of the function is below 0, so going up finds none. *)

let f x = (x * x) - 5476

let rec search step x () =
  Dromos.check () (* here the search notices that it is cancelled *);
  if x < 0 && f x = 0 then Some x else search step (x + step) ()

let () =
  match Dromos.run (fun () -> Dromos.first [ search 1 0; search (-1) 0 ]) with
  | Some root -> Printf.printf "found %d\n" root
  | None -> print_endline "found nothing"
