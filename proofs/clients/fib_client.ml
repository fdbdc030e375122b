(* Naive parallel Fibonacci: each call gives one half away, as a future, and does
   the other. The task of a pool, and then with the pool. *)

module Pool = Dromos_kernel.Pool
module Future = Dromos_kernel.Future
module Fifo = Dromos_hub.Fifo

let rec fib ctx n =
  if n < 2 then n
  else
    let other = Future.async ctx (fun ctx -> fib ctx (n - 1)) in
    let mine = fib ctx (n - 2) in
    let theirs = Future.wait ctx other in
    mine + theirs

(* -1 if the pool does not take the task. *)
let run workers n =
  let idle = Atomic.make 0 in
  let pool = Pool.create ~hub:Fifo.maker.make ~idle ~on_idle:ignore ~workers in
  Pool.start pool;
  let result = Pool.run pool (fun ctx -> fib ctx n) in
  ignore (Pool.close pool);
  match result with None -> -1 | Some value -> value
