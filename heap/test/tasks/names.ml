(* A fork offers a branch and withdraws the branch, in a run that ends before a second
   worker looks at the queue. The queue disappears with the number of the branch inside;
   the record of the branch must be used again. *)

(* The number of a fresh record, which is never given back. *)
let number () = (Task.make ~several:false :> int) land 0x7fffff

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let () =
  Check.case "records of branches whose names are still in a queue" @@ fun () ->
  let before = number () in
  Check.repeat 10_000 (fun () ->
      Check.must "fib" (Dromos.run ~workers:2 (fun () -> fib 12) = 144));
  let more = number () - before in
  Check.must (Printf.sprintf "%d records more" more) (more < 500)
