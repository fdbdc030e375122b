open Bench_plain

let constant f ~n ~cutoff:_ () =
  let r = f n in
  fun () -> r

let iota ~n ~cutoff:_ =
  let a = Array.make n 0 in
  fun () ->
    for i = 0 to n - 1 do
      Array.unsafe_set a i i
    done;
    fun () -> Checksum.ints a

let for_irregular ~n ~cutoff:_ =
  let a = Array.make n 0 in
  fun () ->
    for i = 0 to n - 1 do
      a.(i) <- Fib.fib i
    done;
    fun () -> Checksum.ints a

let lu ~n ~cutoff:_ =
  let a = Matrix.random ~seed:1 n in
  fun () ->
    Matrix.lu a;
    fun () -> Matrix.checksum a

let matmul ~n ~cutoff:_ =
  let a = Matrix.random ~seed:1 n and b = Matrix.random ~seed:2 n in
  let c = Matrix.zero n in
  fun () ->
    Matrix.product c a b;
    fun () -> Matrix.checksum c

let msort ~n ~cutoff:_ =
  let a = Sorting.random n in
  let tmp = Array.make n 0 in
  fun () ->
    Sorting.sort a tmp 0 n;
    fun () -> Checksum.ints a

let mcss ~n ~cutoff:_ =
  let a = Mcss.random n in
  fun () ->
    let best = Mcss.best a in
    fun () -> best

let wc ~n ~cutoff:_ =
  let s = Text.generate n in
  fun () ->
    let r = Text.counts s 0 n in
    fun () -> Checksum.ints [| r.words; r.lines |]

let tokens ~n ~cutoff:_ =
  let s = Text.generate n in
  fun () ->
    let t = Tokens.all s in
    fun () -> Checksum.ints t.first + Checksum.ints t.past

let dedup ~n ~cutoff:_ =
  let s = Text.generate n in
  let t = Tokens.all s in
  fun () ->
    let words = Array.length t.first in
    let set = Tokens.Set.create words in
    for i = 0 to words - 1 do
      Tokens.Set.add s t set (Tokens.hash s t i) i
    done;
    fun () ->
      Checksum.ints [| Tokens.Set.length set; Tokens.Set.sum set land max_int |]

let linefit ~n ~cutoff:_ =
  let points = Linefit.random n in
  fun () ->
    let sums = Linefit.sums points 0 n in
    fun () -> Checksum.floats [| Linefit.slope n sums |]

let raytracer ~n:size ~cutoff:_ () =
  let picture = Array.init (size * size) (Raytracer.pixel ~size) in
  fun () -> Checksum.ints picture

let barnes_hut ~n ~cutoff:_ =
  let bodies = Bodies.random n in
  let result = Array.make (2 * n) 0. in
  fun () ->
    let tree = Bodies.tree bodies in
    for i = 0 to n - 1 do
      Bodies.accelerate bodies tree result i
    done;
    fun () -> Checksum.floats result

let bitonic ~n ~cutoff:_ =
  let a = Sorting.random n in
  fun () ->
    Bitonic.sort a ~up:true 0 n;
    fun () -> Checksum.ints a

(* The leaves of the tree are numbered from 0, so that the sum is known; the
   plain program still visits the leaves. *)
let rec skynet number size =
  if size = 1 then number
  else
    let size = size / 10 in
    let sum = ref 0 in
    for i = 0 to 9 do
      sum := !sum + skynet (number + (i * size)) size
    done;
    !sum

let rec power10 n = if n < 10 then 1 else 10 * power10 (n / 10)
let skynet n = skynet 0 (power10 n)

let some_queens ~n ~cutoff:_ () =
  let found = Queens.find ~check:ignore ~all:(Queens.full n) 0 0 0 [] in
  fun () -> match found with Some path when Queens.solves n path -> 1 | _ -> 0

let queens n = Queens.count ~all:(Queens.full n) 0 0 0

let jobs =
  [
    ("fib", constant Fib.fib);
    ("fib_nocutoff", constant Fib.fib);
    ("sched_fib", constant Fib.fib);
    ("iota", iota);
    ("for_irregular", for_irregular);
    ("lu", lu);
    ("matmul", matmul);
    ("skynet", constant skynet);
    ("skynet_async", constant skynet);
    ("nqueens", constant queens);
    ("primes", constant Primes.count);
    ("msort", msort);
    ("mcss", mcss);
    ("wc", wc);
    ("tokens", tokens);
    ("dedup", dedup);
    ("linefit", linefit);
    ("queens_por", some_queens);
    ("raytracer", raytracer);
    ("barnes_hut", barnes_hut);
    ("sched_msort", msort);
    ("bitonic", bitonic);
  ]

let start ~workers:_ =
  { Bench_core.Contestant.jobs; probes = []; stop = ignore }

let contestants =
  [
    {
      Bench_core.Contestant.name = "sequential";
      about = "plain OCaml, no forks";
      parallel = false;
      start;
    };
  ]
