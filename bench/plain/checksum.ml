let step acc x = ((acc * 31) + x) land max_int
let ints a = Array.fold_left step 17 a

let floats a =
  Array.fold_left
    (fun acc x -> step acc (Int64.to_int (Int64.bits_of_float x)))
    17 a
