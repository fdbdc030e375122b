(* Each version has two children, made by two tasks. The first task to change the version
   continues in its array, the second task copies the array. Both tasks read ancestors of
   the version while concurrent tasks write. *)

open Bench_plain
open Suite_structures

let length = 256
let changes = 32

let rec change array seed k =
  if k = 0 then array
  else
    let i = Rng.below length (seed + k) in
    let n, page = Persistent_array.get array i in
    let array = Persistent_array.set array i (n + 1, k :: List.take 3 page) in
    change array seed (k - 1)

let sum array seed =
  let rec go sum k =
    if k = 0 then sum
    else
      let n, page = Persistent_array.get array (Rng.below length (seed - k)) in
      go (sum + n + Work.weight page) (k - 1)
  in
  go 0 changes

let rec grow (module F : Program.Fork) array depth seed =
  if depth = 0 then sum array seed
  else
    let child seed () =
      grow
        (module F : Program.Fork)
        (change array seed changes)
        (depth - 1) seed
    in
    let a, b =
      F.both (child (Rng.hash (2 * seed))) (child (Rng.hash ((2 * seed) + 1)))
    in
    a + b + sum array seed

let program : Program.t =
  {
    name = "persistent-arr";
    about = "a tree of versions of an array, grown and read in parallel";
    entangled = true;
    allocates = true;
    size_is = "generations; the last one has two to the power of this number";
    size = 17;
    tiny = 8;
    prepare =
      (fun depth ->
        let first = Persistent_array.init length (fun i -> (i, [ i; i + 1 ])) in
        fun fork () ->
          let sum = grow fork first depth 1 in
          fun () -> sum land max_int);
  }
