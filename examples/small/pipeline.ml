(* A pipeline: several items are in the middle stage at a time, and all leave in
   the order of the source. *)

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let () =
  let open Dromos.Pipeline in
  let lines = List.to_seq [ "10"; "ten"; "20"; "25" ] in
  Dromos.run (fun () ->
      from lines
      |> filter_map int_of_string_opt
      |> parallel (fun n -> (n, fib n))
      |> iter ~tokens:4 (fun (n, f) -> Printf.printf "fib %d = %d\n" n f))
