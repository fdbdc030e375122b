(* The summary of a piece: the best sums of its pieces, prefixes and suffixes, and its
   total. The lab's mcss (bench/plain) is a loop over integers that makes one summary
   for a piece of the array; here each element makes a quadruple of floats, since the
   suite measures allocation. *)

open Bench_plain

let join (best1, prefix1, suffix1, sum1) (best2, prefix2, suffix2, sum2) =
  ( Float.max (Float.max best1 best2) (suffix1 +. prefix2),
    Float.max prefix1 (sum1 +. prefix2),
    Float.max suffix2 (suffix1 +. sum2),
    sum1 +. sum2 )

let best (module F : Program.Fork) a =
  let one i =
    let x = a.(i) in
    let best = Float.max x 0. in
    (best, best, best, x)
  in
  let best, _, _, _ =
    F.map_reduce 0 (Array.length a) ~map:one ~combine:join ~init:(0., 0., 0., 0.)
  in
  best

let program : Program.t =
  {
    name = "mcss";
    about = "the contiguous piece of greatest sum, by quadruples of floats";
    entangled = false;
    allocates = true;
    size_is = "floats";
    size = 20_000_000;
    tiny = 10_000;
    prepare =
      (fun n ->
        let element i = float_of_int (Rng.below 201 i - 100) in
        let a = Array.init n element in
        fun fork () ->
          let best = best fork a in
          fun () -> Checksum.ints [| int_of_float best |]);
  }
