type t = float array array

let random ~seed n =
  let entry i j =
    let x = float_of_int (Rng.below 2000 ((seed * n * n) + (i * n) + j)) in
    (x /. 1000.) -. 1. +. if i = j then float_of_int n else 0.
  in
  Array.init n (fun i -> Array.init n (entry i))

let zero n = Array.init n (fun _ -> Array.make n 0.)

(* Indices are in range by construction; with unchecked accesses, the inner
   loops consist of arithmetic and memory accesses only. *)
let eliminate (a : t) k i =
  let pivot = a.(k) and row = a.(i) in
  let factor = row.(k) /. pivot.(k) in
  row.(k) <- factor;
  for j = k + 1 to Array.length row - 1 do
    Array.unsafe_set row j
      (Array.unsafe_get row j -. (factor *. Array.unsafe_get pivot j))
  done

let lu (a : t) =
  let n = Array.length a in
  for k = 0 to n - 2 do
    for i = k + 1 to n - 1 do
      eliminate a k i
    done
  done

let row_product (c : t) (a : t) (b : t) i =
  let n = Array.length b in
  let target = c.(i) and row = a.(i) in
  for k = 0 to n - 1 do
    let x = row.(k) and other = b.(k) in
    for j = 0 to n - 1 do
      Array.unsafe_set target j
        (Array.unsafe_get target j +. (x *. Array.unsafe_get other j))
    done
  done

let product c a b =
  for i = 0 to Array.length c - 1 do
    row_product c a b i
  done

let checksum a = Checksum.ints (Array.map Checksum.floats a)
