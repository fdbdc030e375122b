(* Two reductions over pairs: the means, then the moments about them. The lab's linefit
   (bench/plain) keeps the same points in two arrays of floats and sums them in one loop
   without allocation; here each point, and each step of a reduction, is a pair, since
   the suite measures allocation. *)

open Bench_plain

let points n =
  let point i =
    let x = float_of_int (Rng.below 1024 i) in
    (x, (3. *. x) +. float_of_int (Rng.below 64 (i + n)))
  in
  Array.init n point

let add (a, b) (c, d) = (a +. c, b +. d)

let line (module F : Program.Fork) points =
  let n = Array.length points in
  let sum f =
    F.map_reduce 0 n ~map:(fun i -> f points.(i)) ~combine:add ~init:(0., 0.)
  in
  let x_sum, y_sum = sum Fun.id in
  let x_mean = x_sum /. float_of_int n and y_mean = y_sum /. float_of_int n in
  let moments (x, y) =
    let d = x -. x_mean in
    (d *. d, d *. y)
  in
  let xx, xy = sum moments in
  let slope = xy /. xx in
  (y_mean -. (slope *. x_mean), slope)

let program : Program.t =
  {
    name = "linefit";
    about = "the line through points that are pairs of floats";
    entangled = false;
    allocates = true;
    size_is = "points";
    size = 10_000_000;
    tiny = 10_000;
    prepare =
      (fun n ->
        let points = points n in
        fun fork () ->
          let offset, slope = line fork points in
          let thousandths x = int_of_float (Float.round (1000. *. x)) in
          fun () -> Checksum.ints [| thousandths offset; thousandths slope |]);
  }
