open Bench_plain
open Suite_structures

let job (module F : Program.Fork) intervals () =
  let n = Array.length intervals in
  let tree = Interval_tree.of_array F.both intervals in
  let count i = Interval_tree.count tree (Rng.below (4 * n) (-i)) in
  let total = F.map_reduce 0 n ~map:count ~combine:( + ) ~init:0 in
  fun () -> Checksum.ints [| Interval_tree.size tree; total |]

let program : Program.t =
  {
    name = "interval-tree";
    about = "a tree of intervals, and how many of them cover points";
    entangled = false;
    allocates = true;
    size_is = "intervals, and points";
    size = 200_000;
    tiny = 3_000;
    prepare =
      (fun n ->
        let interval i =
          let low = Rng.below (4 * n) i in
          (low, low + Rng.below 40 (i + n))
        in
        let intervals = Array.init n interval in
        fun fork -> job fork intervals);
  }
