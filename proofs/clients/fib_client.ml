(* Naive parallel Fibonacci: each call gives one recursive call away as a future,
   and makes the other call. [fib] is the task; [run] runs the task in a pool. *)

module Pool = Dromos_kernel.Pool
module Future = Dromos_kernel.Future

let rec fib ctx n =
  if n < 2 then n
  else
    let other = Future.async ctx (fun ctx -> fib ctx (n - 1)) in
    let mine = fib ctx (n - 2) in
    let theirs = Future.wait ctx other in
    mine + theirs

let run workers n = With_pool.run workers (fun ctx -> fib ctx n)
