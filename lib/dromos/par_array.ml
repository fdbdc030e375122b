(* Parallel arrays. Distinct slots of an array may be written by several domains
   at once, also in an array of unboxed floats; every read of a slot that
   another domain wrote comes after the join of the loop that wrote it.

   [unsafe_get] and [unsafe_set] are used where the index comes from the
   length: arrays do not shrink. *)

let get = Array.unsafe_get
let set = Array.unsafe_set
let length = Array.length

(* Inner loops: see [Par_range.run]. *)

let iter ?grain f a =
  let run signal sign lo hi =
    let i = ref lo in
    while !i < hi && Par_range.still signal sign do
      f (get a !i);
      incr i
    done;
    !i
  in
  Par_range.for_by ?grain 0 (length a) (fun i -> f (get a i)) run

let iteri ?grain f a =
  Par_range.for_ ?grain 0 (length a) (fun i -> f i (get a i))

(* {1 Making} *)

(* Only a first element tells whether the array is one of unboxed floats. In
   a long array element 0 is computed before the loop: one of many. In a short
   one that could cost all the parallelism, so there whoever has the first
   element makes the array; several may do so at once, and one of them wins. *)
let short = 4096

let shared cell n v =
  let a = Atomic.get cell in
  if length a > 0 then a
  else
    let mine = Array.make n v in
    if Atomic.compare_and_set cell a mine then mine else Atomic.get cell

(* [elt i] is element [i]; [fill b] is the inner loop that stores elements in [b]. *)
let make ?grain n elt fill =
  if n = 0 then [||]
  else if n <= short then begin
    let cell = Atomic.make [||] in
    Par_range.for_ ?grain 0 n (fun i ->
        let v = elt i in
        set (shared cell n v) i v);
    Atomic.get cell
  end
  else begin
    let b = Array.make n (elt 0) in
    Par_range.for_by ?grain 1 n (fun i -> set b i (elt i)) (fill b);
    b
  end

let fill_from elt b signal sign lo hi =
  let i = ref lo in
  while !i < hi && Par_range.still signal sign do
    set b !i (elt !i);
    incr i
  done;
  !i

let tabulate ?grain n elt = make ?grain n elt (fill_from elt)

let init ?grain n f =
  if n < 0 || n > Sys.max_array_length then
    invalid_arg (Printf.sprintf "Dromos.Par.Array.init: the length is %d" n);
  tabulate ?grain n f

let map_from f a b signal sign lo hi =
  let i = ref lo in
  while !i < hi && Par_range.still signal sign do
    set b !i (f (get a !i));
    incr i
  done;
  !i

let map ?grain f a =
  make ?grain (length a) (fun i -> f (get a i)) (map_from f a)

let mapi ?grain f a = tabulate ?grain (length a) (fun i -> f i (get a i))

let same_length name a b =
  if length a <> length b then
    invalid_arg
      (Printf.sprintf "Dromos.Par.Array.%s: the lengths are %d and %d" name
         (length a) (length b))

let map2 ?grain f a b =
  same_length "map2" a b;
  tabulate ?grain (length a) (fun i -> f (get a i) (get b i))

let iter2 ?grain f a b =
  same_length "iter2" a b;
  Par_range.for_ ?grain 0 (length a) (fun i -> f (get a i) (get b i))

let map_inplace ?grain f a =
  let body i = set a i (f (get a i)) in
  Par_range.for_by ?grain 0 (length a) body (map_from f a a)

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
  if a == b && i < j + len && j < i + len then
    if i = j || len = 0 then ()
    else invalid_arg "Dromos.Par.Array.blit: the ranges overlap"
  else
    Par_range.for_chunks ?grain 0 len (fun l h ->
        Array.blit a (i + l) b (j + l) (h - l))

let concat ?grain arrays =
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

let map_reduce ?grain ~map ~combine zero a =
  let fold signal sign acc lo hi =
    let acc = ref acc and i = ref lo in
    while !i < hi && Par_range.still signal sign do
      acc := combine !acc (map (get a !i));
      incr i
    done;
    (!acc, !i)
  in
  let map i = map (get a i) in
  Par_range.reduce_by ?grain 0 (length a) ~map ~combine zero fold

(* No function makes an element, so none draws. *)
let fold ?grain combine zero a =
  let fold signal sign acc lo hi =
    let acc = ref acc and i = ref lo in
    while !i < hi && Par_range.still signal sign do
      acc := combine !acc (get a !i);
      incr i
    done;
    (!acc, !i)
  in
  Par_range.reduce_by ?grain 0 (length a) ~map:(get a) ~combine zero fold

let count ?grain p a =
  let fold signal sign acc lo hi =
    let acc = ref acc and i = ref lo in
    while !i < hi && Par_range.still signal sign do
      if p (get a !i) then incr acc;
      incr i
    done;
    (!acc, !i)
  in
  let map i = Bool.to_int (p (get a i)) in
  Par_range.reduce_by ?grain 0 (length a) ~map ~combine:( + ) 0 fold

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
    Par_range.scan_chunks ?grain 0 (length a) ~reduce ~combine ~write zero
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
    (Par_range.scan_chunks ?grain 0 (length a) ~reduce ~combine ~write zero);
  b

(* {1 Packing} *)

(* The predicate runs in an element loop, so that no iteration waits behind
   another, and leaves a byte for each element. Then the bytes are counted and
   the elements copied in pieces, which costs little and never calls the user.
   Bytes of one string may be written by several domains at once. *)
let flags ?grain p a =
  let n = length a in
  let flags = Bytes.make n '\000' in
  Par_range.for_ ?grain 0 n (fun i ->
      if p (get a i) then Bytes.unsafe_set flags i '\001');
  flags

(* [pack n ~count ~alloc ~write]: pieces of [0 .. n - 1] are counted, room for
   the total is made, and each piece is written from its place on. *)
let pack n ~count ~write =
  let size = Par_range.piece_size (Fiber.current ()) n in
  let pieces = Par_range.pieces n size in
  let at = Array.make (pieces + 1) 0 in
  Par_range.for_pieces 0 n size (fun l h -> at.((l / size) + 1) <- count l h);
  for k = 1 to pieces do
    at.(k) <- at.(k) + at.(k - 1)
  done;
  write at.(pieces) (fun fill ->
      Par_range.for_pieces 0 n size (fun l h -> fill at.(l / size) l h))

let count_flags flags l h =
  let count = ref 0 in
  for i = l to h - 1 do
    count := !count + Char.code (Bytes.unsafe_get flags i)
  done;
  !count

(* Room for [n] elements of [a]'s kind. *)
let room a n = if n = 0 then [||] else Array.make n (get a 0)

let filter ?grain p a =
  let flags = flags ?grain p a in
  let write total each =
    let b = room a total in
    each (fun at l h ->
        let at = ref at in
        for i = l to h - 1 do
          if Bytes.unsafe_get flags i <> '\000' then begin
            set b !at (get a i);
            incr at
          end
        done);
    b
  in
  pack (length a) ~count:(count_flags flags) ~write

let partition ?grain p a =
  let n = length a in
  let flags = flags ?grain p a in
  let write total each =
    let yes = room a total and no = room a (n - total) in
    each (fun at l h ->
        let y = ref at and n = ref (l - at) in
        for i = l to h - 1 do
          let x = get a i in
          if Bytes.unsafe_get flags i <> '\000' then begin
            set yes !y x;
            incr y
          end
          else begin
            set no !n x;
            incr n
          end
        done);
    (yes, no)
  in
  pack n ~count:(count_flags flags) ~write

let count_some a l h =
  let count = ref 0 in
  for i = l to h - 1 do
    match get a i with None -> () | Some _ -> incr count
  done;
  !count

let filter_map ?grain f a =
  let n = length a in
  let found = Array.make n None in
  Par_range.for_ ?grain 0 n (fun i ->
      match f (get a i) with None -> () | some -> set found i some);
  let write total each =
    match Par_search.find_map 0 n (get found) with
    | None -> [||]
    | Some first ->
        let b = Array.make total first in
        each (fun at l h ->
            let at = ref at in
            for i = l to h - 1 do
              match get found i with
              | None -> ()
              | Some v ->
                  set b !at v;
                  incr at
            done);
        b
  in
  pack n ~count:(count_some found) ~write

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
let merge = Par_sort.merge
