(* Programs made of parallel loops. *)

open Bench_plain
open Sched

let iota ~n ~cutoff =
  let a = Array.make n 0 in
  fun ctx ->
    for_ ctx ~chunk:cutoff 0 n (fun i -> Array.unsafe_set a i i);
    fun () -> Checksum.ints a

let for_irregular ~n ~cutoff =
  let a = Array.make n 0 in
  fun ctx ->
    for_ ctx ~chunk:cutoff 0 n (fun i -> a.(i) <- Fib.fib i);
    fun () -> Checksum.ints a

let lu ~n ~cutoff =
  let a = Matrix.random ~seed:1 n in
  fun ctx ->
    for k = 0 to n - 2 do
      for_ ctx ~chunk:cutoff (k + 1) n (fun i -> Matrix.eliminate a k i)
    done;
    fun () -> Matrix.checksum a

let matmul ~n ~cutoff =
  let a = Matrix.random ~seed:1 n and b = Matrix.random ~seed:2 n in
  let c = Matrix.zero n in
  fun ctx ->
    for_ ctx ~chunk:cutoff 0 n (fun i -> Matrix.row_product c a b i);
    fun () -> Matrix.checksum c

(* A segment of the sieve is one iteration. *)
let primes ~n ~cutoff =
 fun ctx ->
  let base = Primes.base n in
  let segments = (n - 2 + cutoff - 1) / cutoff in
  let counts = Array.make segments 0 in
  for_ ctx ~chunk:1 0 segments (fun s ->
      let lo = 2 + (s * cutoff) in
      counts.(s) <- Primes.segment base lo (min n (lo + cutoff)));
  let total = Array.fold_left ( + ) 0 counts in
  fun () -> total

let jobs : (string * (n:int -> cutoff:int -> ctx -> unit -> int)) list =
  [
    ("iota", iota);
    ("for_irregular", for_irregular);
    ("lu", lu);
    ("matmul", matmul);
    ("primes", primes);
  ]
