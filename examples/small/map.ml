(* A parallel map: the length of the Collatz sequence of each number. *)

let rec steps n =
  if n = 1 then 0 else 1 + steps (if n mod 2 = 0 then n / 2 else (3 * n) + 1)

let () =
  Dromos.run (fun () ->
      let lengths = Dromos.Par.Array.init 100_000 (fun i -> steps (i + 1)) in
      let longest = Dromos.Par.Array.fold max 0 lengths in
      let first = Dromos.Par.Array.find_index (( = ) longest) lengths in
      Printf.printf "%d has the longest sequence: %d steps\n"
        (Option.get first + 1)
        longest)
