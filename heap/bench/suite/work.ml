open Bench_plain

let page i =
  List.sort Int.compare (List.init 16 (fun k -> Rng.below 1000 ((16 * i) + k)))

let weight = List.fold_left ( + ) 0
