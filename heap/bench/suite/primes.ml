(* The primes below the root, found recursively, sieve each block separately. The lab's
   primes (bench/plain) counts the primes of a block; here each block makes a list, and
   all lists become one array, since the suite measures allocation. *)

open Bench_plain

let block = 65536

(* The primes in [lo .. hi - 1]; [small] holds all primes below the root of [hi]. *)
let sieve small lo hi =
  let composite = Bytes.make (hi - lo) '\000' in
  Array.iter
    (fun p ->
      let m = ref (max (p * p) ((lo + p - 1) / p * p)) in
      while !m < hi do
        Bytes.set composite (!m - lo) '\001';
        m := !m + p
      done)
    small;
  let rec from i =
    if i = hi then []
    else if Bytes.get composite (i - lo) = '\000' then i :: from (i + 1)
    else from (i + 1)
  in
  Array.of_list (from lo)

let rec below (module F : Program.Fork) n =
  if n <= 2 then [||]
  else
    let root = 1 + int_of_float (sqrt (float_of_int n)) in
    let small =
      if root < n then below (module F : Program.Fork) root else [||]
    in
    let blocks = (n - 2 + block - 1) / block in
    let found =
      F.Array.init ~grain:1 blocks (fun b ->
          let lo = 2 + (b * block) in
          sieve small lo (min n (lo + block)))
    in
    Array.concat (Array.to_list found)

let program : Program.t =
  {
    name = "primes";
    about = "the primes below n, by a sieve in blocks";
    entangled = false;
    allocates = false;
    size_is = "numbers";
    size = 10_000_000;
    tiny = 300_000;
    prepare =
      (fun n fork () ->
        let primes = below fork n in
        fun () -> Checksum.ints primes);
  }
