(* A row is an array of pairs: column and value. *)

open Bench_plain

let in_a_row = 100

let matrix rows =
  let entry r k =
    let j = (in_a_row * r) + k in
    (Rng.below rows (2 * j), float_of_int (Rng.below 100 ((2 * j) + 1)))
  in
  Array.init rows (fun r -> Array.init in_a_row (entry r))

let times (module F : Program.Fork) matrix vector =
  let dot sum (column, x) = sum +. (x *. vector.(column)) in
  F.Array.map (fun row -> Array.fold_left dot 0. row) matrix

let program : Program.t =
  {
    name = "sparse-mxv";
    about = "a sparse matrix of (column, value) pairs times a vector";
    entangled = false;
    allocates = true;
    size_is = "entries";
    size = 20_000_000;
    tiny = 20_000;
    prepare =
      (fun n ->
        let rows = n / in_a_row in
        let matrix = matrix rows in
        let vector = Array.init rows (fun i -> float_of_int (i mod 100)) in
        fun fork () ->
          let product = times fork matrix vector in
          fun () -> Checksum.ints (Array.map int_of_float product));
  }
