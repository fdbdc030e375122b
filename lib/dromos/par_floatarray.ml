(* The functions of [Par_array], for arrays that always have unboxed floats. *)

module A = Float.Array

let get = A.unsafe_get
let set = A.unsafe_set
let length = A.length

let init ?grain n f =
  if n < 0 then
    invalid_arg
      (Printf.sprintf "Dromos.Par.Floatarray.init: the length is %d" n);
  let b = A.create n in
  Par_range.for_by ?grain 0 n (Dromos_inner.float_init f b);
  b

let map ?grain f a =
  let b = A.create (length a) in
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.float_map f a b);
  b

let mapi ?grain f a =
  let b = A.create (length a) in
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.float_mapi f a b);
  b

let map2 ?grain f a b =
  if length a <> length b then
    invalid_arg
      (Printf.sprintf "Dromos.Par.Floatarray.map2: the lengths are %d and %d"
         (length a) (length b));
  let c = A.create (length a) in
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.float_map2 f a b c);
  c

let iteri ?grain f a =
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.float_iteri f a)

let map_reduce ?grain ~map ~combine zero a =
  let fold = Dromos_inner.float_map_reduce map combine a in
  let map i = map (get a i) in
  Par_reduce.reduce_by ?grain 0 (length a) ~map ~combine zero fold

(* Fixed pieces, a fixed tree, and inside a piece a loop whose sum stays in a
   register. *)
let sum ?(grain = 4096) a =
  let map l h =
    let s = ref 0. in
    for i = l to h - 1 do
      s := !s +. get a i
    done;
    !s
  in
  Par_reduce.map_reduce_chunks ~grain 0 (length a) ~map ~combine:( +. ) ~init:0.

let sum_of combine a l h =
  let acc = ref (get a l) in
  for i = l + 1 to h - 1 do
    acc := combine !acc (get a i)
  done;
  !acc

let scan ?grain combine zero a =
  let b = A.create (length a) in
  let write left l h =
    let acc = ref left in
    for i = l to h - 1 do
      set b i !acc;
      acc := combine !acc (get a i)
    done;
    !acc
  in
  let reduce = sum_of combine a in
  let total =
    Par_reduce.scan_chunks ?grain 0 (length a) ~reduce ~combine ~write ~init:zero
  in
  (b, total)

let scan_inclusive ?grain combine zero a =
  let b = A.create (length a) in
  let write left l h =
    let acc = ref left in
    for i = l to h - 1 do
      acc := combine !acc (get a i);
      set b i !acc
    done;
    !acc
  in
  let reduce = sum_of combine a in
  ignore
    (Par_reduce.scan_chunks ?grain 0 (length a) ~reduce ~combine ~write ~init:zero
      : float);
  b

(* Sorts a copy with boxed floats. The comparison is a closure on boxed floats, so a
   sort in place would box as much as the sort of an ordinary array. *)
let sort ?grain cmp a =
  let n = length a in
  let b = Array.make n 0. in
  Par_range.for_chunks 0 n (fun l h ->
      for i = l to h - 1 do
        Array.unsafe_set b i (get a i)
      done);
  Par_sort.sort ?grain cmp b;
  Par_range.for_chunks 0 n (fun l h ->
      for i = l to h - 1 do
        set a i (Array.unsafe_get b i)
      done)
