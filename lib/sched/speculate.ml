(* A parallel binding whose value is that the left one has found nothing. If it
   has found something that is an exception, which cancels the body; a body that
   has found something does not ask for the value, which is then not needed. *)

exception Found

let por left right =
  let found = ref None in
  let search () =
    match left () with
    | None -> ()
    | Some _ as answer ->
        found := answer;
        raise_notrace Found
  in
  try
    Stealing.pval search (fun nothing ->
        match right () with
        | Some _ as answer -> answer
        | None ->
            nothing ();
            None)
  with Found -> !found

let rec first = function
  | [] -> None
  | [ f ] -> f ()
  | f :: others -> por f (fun () -> first others)
