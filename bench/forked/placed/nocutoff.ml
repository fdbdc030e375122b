(* A fork for every addition; compiled eight times (see placements/place.ml). *)

open Sched

let rec fib ctx n =
  if n < 2 then n
  else
    let a, b =
      both ctx (fun ctx -> fib ctx (n - 1)) (fun ctx -> fib ctx (n - 2))
    in
    a + b
