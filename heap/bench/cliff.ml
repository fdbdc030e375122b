(* The cliff: a loop that allocates a tuple at each step, split among domains. Prints the
   seconds. *)

let step i (letters, words, inside) =
  if i land 7 = 0 then (letters, words + 1, not inside)
  else (letters + (i land 1), words, inside)

let count low high =
  let rec go i state =
    if i = high then state else go (i + 1) (Sys.opaque_identity (step i state))
  in
  let letters, words, _ = go low (0, 0, false) in
  letters + words

let () =
  let domains = int_of_string Sys.argv.(1) and n = 100_000_000 in
  let began = Unix.gettimeofday () in
  let part i () = count (i * n / domains) ((i + 1) * n / domains) in
  let others = List.init (domains - 1) (fun i -> Domain.spawn (part (i + 1))) in
  let mine = part 0 () in
  let all = List.fold_left (fun sum d -> sum + Domain.join d) mine others in
  assert (all = 62_500_000);
  Printf.printf "%.3f\n" (Unix.gettimeofday () -. began)
