(* Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
   The constants lose their top bits in OCaml's 63-bit integers; for test data
   the loss does not matter. *)
let hash i =
  let z = i * 0x1e3779b97f4a7c15 in
  let z = z lxor (z lsr 30) * 0x3f58476d1ce4e5b9 in
  let z = z lxor (z lsr 27) * 0x14d049bb133111eb in
  z lxor (z lsr 31) land max_int

let below bound i = hash i mod bound
