(* Parallel arrays. Several domains may write distinct slots of an array at once,
   also in an array of unboxed floats. A slot that another domain wrote is read only
   after the join of the loop that wrote the slot.

   [unsafe_get] and [unsafe_set] are used where the index comes from the length:
   arrays do not shrink. *)

let get = Array.unsafe_get
let set = Array.unsafe_set
let length = Array.length

let iter ?grain f a =
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.iter f a)

let iteri ?grain f a =
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.iteri f a)

(* {1 Making} *)

(* The first element made decides whether the array has unboxed floats. In a long
   array element 0 is computed before the loop: one element of many. In a short
   array that could cost all the parallelism. There the fiber that makes the first
   element makes the array; if several fibers make an array at once, one array
   wins. *)
let short = 4096

let shared cell n v =
  let a = Atomic.get cell in
  if length a > 0 then a
  else
    let mine = Array.make n v in
    if Atomic.compare_and_set cell a mine then mine else Atomic.get cell

(* [elt i] is element [i]; [fill b] is the inner loop that stores elements in [b]. *)
let make ?grain n elt fill =
  Option.iter Par_range.check_grain grain;
  if n = 0 then [||]
  else if n <= short then begin
    let cell = Atomic.make [||] in
    let run signal sign lo hi =
      if Atomic.get signal = sign then begin
        let v = elt lo in
        set (shared cell n v) lo v;
        if lo + 1 < hi then fill (Atomic.get cell) signal sign (lo + 1) hi
        else hi
      end
      else lo
    in
    Par_range.for_by ?grain 0 n run;
    Atomic.get cell
  end
  else begin
    let b = Array.make n (elt 0) in
    Par_range.for_by ?grain 1 n (fill b);
    b
  end

let tabulate ?grain n elt = make ?grain n elt (Dromos_inner.init elt)

let init ?grain n f =
  if n < 0 || n > Sys.max_array_length then
    invalid_arg (Printf.sprintf "Dromos.Par.Array.init: the length is %d" n);
  tabulate ?grain n f

let map ?grain f a =
  make ?grain (length a) (fun i -> f (get a i)) (Dromos_inner.map f a)

let mapi ?grain f a =
  make ?grain (length a) (fun i -> f i (get a i)) (Dromos_inner.mapi f a)

let same_length name a b =
  if length a <> length b then
    invalid_arg
      (Printf.sprintf "Dromos.Par.Array.%s: the lengths are %d and %d" name
         (length a) (length b))

let map2 ?grain f a b =
  same_length "map2" a b;
  make ?grain (length a)
    (fun i -> f (get a i) (get b i))
    (Dromos_inner.map2 f a b)

let iter2 ?grain f a b =
  same_length "iter2" a b;
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.iter2 f a b)

let map_inplace ?grain f a =
  Par_range.for_by ?grain 0 (length a) (Dromos_inner.map f a a)

(* {1 Copying} *)

let check_part name a pos len =
  if pos < 0 || len < 0 || pos > length a - len then
    invalid_arg
      (Printf.sprintf
         "Dromos.Par.Array.%s: no %d elements from %d in an array of %d" name
         len pos (length a))

let blit ?grain a i b j len =
  check_part "blit" a i len;
  check_part "blit" b j len;
  Option.iter Par_range.check_grain grain;
  if a == b && i < j + len && j < i + len then
    if i = j || len = 0 then ()
    else invalid_arg "Dromos.Par.Array.blit: the ranges overlap"
  else
    Par_range.for_chunks ?grain 0 len (fun l h ->
        Array.blit a (i + l) b (j + l) (h - l))

let concat ?grain arrays =
  Option.iter Par_range.check_grain grain;
  match List.filter (fun a -> length a > 0) arrays with
  | [] -> [||]
  | first :: _ as arrays ->
      let n = List.fold_left (fun n a -> n + length a) 0 arrays in
      let b = Array.make n (get first 0) in
      let copy at a =
        blit ?grain a 0 b at (length a);
        at + length a
      in
      ignore (List.fold_left copy 0 arrays : int);
      b

(* {1 Reductions and scans} *)

let map_reduce ?grain ~map ~combine ~init:zero a =
  let fold = Dromos_inner.map_reduce map combine a in
  let map i = map (get a i) in
  Par_reduce.reduce_by ?grain 0 (length a) ~map ~combine zero fold

(* No user function makes an element, so no element draws random numbers. *)
let fold ?grain combine zero a =
  Par_reduce.reduce_by ?grain 0 (length a) ~map:(get a) ~combine zero
    (Dromos_inner.fold combine a)

let count ?grain p a =
  let map i = Bool.to_int (p (get a i)) in
  Par_reduce.reduce_by ?grain 0 (length a) ~map ~combine:( + ) 0
    (Dromos_inner.count p a)

let sum_of combine a l h =
  let acc = ref (get a l) in
  for i = l + 1 to h - 1 do
    acc := combine !acc (get a i)
  done;
  !acc

let scan ?grain combine zero a =
  let b = Array.make (length a) zero in
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
    Par_reduce.scan_chunks ?grain 0 (length a) ~reduce ~combine ~write
      ~init:zero
  in
  (b, total)

let scan_inclusive ?grain combine zero a =
  let b = Array.make (length a) zero in
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
    (Par_reduce.scan_chunks ?grain 0 (length a) ~reduce ~combine ~write
       ~init:zero);
  b

(* {1 Packing} *)

let filter = Par_pack.filter
let filter_map = Par_pack.filter_map
let partition = Par_pack.partition

(* {1 Sub-arrays} *)

let check_size name n =
  if n < 1 then
    invalid_arg
      (Printf.sprintf
         "Dromos.Par.Array.%s: the size is %d, it must be at least 1" name n)

let chunk a n k =
  let pos = k * n in
  Array.sub a pos (Int.min n (length a - pos))

let map_chunks ?grain n f a =
  check_size "map_chunks" n;
  tabulate ?grain (Par_range.pieces (length a) n) (fun k -> f (chunk a n k))

let iter_chunks ?grain n f a =
  check_size "iter_chunks" n;
  Par_range.for_ ?grain 0
    (Par_range.pieces (length a) n)
    (fun k -> f (chunk a n k))

let map_windows ?grain n f a =
  check_size "map_windows" n;
  tabulate ?grain (Int.max 0 (length a - n + 1)) (fun i -> f a i)

(* {1 Searching} *)

let find_map ?grain f a =
  Par_search.find_map ?grain 0 (length a) (fun i -> f (get a i))

let find_index ?grain p a = Par_search.find_element ?grain p a true
let find_opt ?grain p a = Option.map (get a) (find_index ?grain p a)

let exists ?grain p a =
  Par_search.find_element ~any:true ?grain p a true <> None

let for_all ?grain p a =
  Par_search.find_element ~any:true ?grain p a false = None

let mem ?grain x a = exists ?grain (fun y -> compare x y = 0) a
let sort = Par_sort.sort
let sort_by = Par_sort.sort_by
let merge = Par_sort.merge
let unstable_sort = Par_quick.sort
let select_nth = Par_quick.select_nth
