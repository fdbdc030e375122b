let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

(* F (n + 1) - 1, in linear time. *)
let forks n =
  let rec go a b i = if i = 0 then b - 1 else go b (a + b) (i - 1) in
  go 0 1 n
