(* Doubles every element of an array, in parallel: the example of Parabs,
   section 11. *)

module Pool = Dromos_kernel.Pool
module Algo = Dromos_kernel.Algo

let double_array ctx (t : int array) =
  Algo.for_ ctx ~beg:0 ~end_:(Array.length t) ~chunk:None (fun _ beg end_ ->
      for i = beg to end_ - 1 do
        Array.set t i (2 * Array.get t i)
      done)

let rec sum (t : int array) i =
  if i = Array.length t then 0
  else
    let first = Array.get t i in
    first + sum t (i + 1)

(* The sum of 0, 2, 4, ..., 2(n - 1). *)
let run workers n =
  let t = Array.init n (fun i -> i) in
  With_pool.run workers (fun ctx -> double_array ctx t);
  sum t 0
