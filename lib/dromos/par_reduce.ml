open Dromos_fiber

(* Reductions and scans of ranges, over the loops of [Par_range]. *)

open Par_range

(* {1 Reductions} *)

(* Combines pieces in a tree that depends on the range and the size of the pieces
   alone: an operator that is only nearly associative (a floating-point sum) gives
   the same result every time. *)
let reduce_pieces fiber size lo hi ~map ~combine =
  let rec tree fiber lo hi =
    if hi - lo <= size then map lo hi
    else
      let mid = lo + (size * (pieces (hi - lo) size / 2)) in
      let a, b =
        both fiber
          (fun fiber -> tree fiber lo mid)
          (fun fiber -> tree fiber mid hi)
      in
      combine a b
  in
  tree fiber lo hi

let map_reduce_chunks ?grain lo hi ~map ~combine ~init:zero =
  let n = length lo hi in
  let fiber = Fiber.current () in
  let size = piece_size fiber ?grain n in
  let reduce map = reduce_pieces fiber size lo hi ~map ~combine in
  if n = 0 then zero
  else if !Stream.in_use then
    let piece l = map l (piece_end l hi size) in
    combine zero (Stream.loop piece (fun piece -> reduce (fun l _ -> piece l)))
  else combine zero (reduce map)

type 'a reduction = {
  leaf : leaf;
  first : int -> 'a;
  fold : 'a Dromos_inner.fold; (* folds in the elements after the first *)
  combine : 'a -> 'a -> 'a;
}

(* Folds in at least one element; [lo < hi]. *)
let fold_on fiber fold sign acc lo hi =
  let ((acc, next) as one) = fold no_signal 0 acc lo (lo + 1) in
  if next < hi then fold fiber.Types.signal sign acc next hi else one

(* As [halve], [steps] and [rest] of [Par_range]. When the rest of a leaf is cut,
   the left half keeps the result [acc] so far. *)
let rec reduce fiber r lo hi =
  if hi - lo <= r.leaf.length then
    of_leaf r.leaf fiber (fun () ->
        reduce_steps fiber r (r.first lo) (lo + 1) hi)
  else
    let mid = middle lo hi in
    let a, b =
      Fork.both fiber
        (fun fiber -> reduce fiber r lo mid)
        (fun taker ->
          let r =
            if taker == fiber then r
            else { r with leaf = anew r.leaf (hi - mid) }
          in
          reduce taker r mid hi)
    in
    r.combine a b

and reduce_steps fiber r acc i hi =
  if i >= hi then acc
  else
    let acc, i = fold_on fiber r.fold (calm fiber) acc i hi in
    if i >= hi then acc else reduce_rest fiber r 1 acc i hi

and reduce_rest fiber r stretch acc i hi =
  let sign = Fork.sign fiber in
  Fork.poll fiber;
  let mid = middle i hi in
  if sign > 0 && Fork.has_offer fiber then
    let until = limit ~grain:1 i hi stretch in
    let acc, i = fold_on fiber r.fold sign acc i until in
    if i < hi && Fork.sign fiber = sign then
      reduce_rest fiber r (longer stretch) acc i hi
    else reduce_steps fiber r acc i hi
  else if mid > i && Fork.wanted fiber then
    let a, b =
      Fork.both fiber
        (fun fiber -> reduce_steps fiber r acc i mid)
        (fun fiber -> reduce_steps fiber r (r.first mid) (mid + 1) hi)
    in
    r.combine a b
  else reduce_steps fiber r acc i hi

let reduce_range ?grain lo hi ~combine zero first (fold : _ Dromos_inner.fold) =
  let n = length lo hi in
  let fiber = Fiber.current () in
  let whole acc lo hi =
    if lo >= hi then acc else fst (fold no_signal 0 acc lo hi)
  in
  match grain with
  | Some grain ->
      let map l h = whole (first l) (l + 1) h in
      map_reduce_chunks ~grain lo hi ~map ~combine ~init:zero
  | None ->
      if n = 0 then zero
      else if outside fiber then whole zero lo hi
      else
        combine zero
          (reduce fiber
             { leaf = leaf fiber n None; first; fold; combine }
             lo hi)

(* As [for_by]. *)
let reduce_by ?grain lo hi ~map ~combine zero fold =
  if !Stream.in_use then
    Stream.loop map (fun map ->
        reduce_range ?grain lo hi ~combine zero map
          (Dromos_inner.reduce map combine))
  else reduce_range ?grain lo hi ~combine zero map fold

let map_reduce ?grain lo hi ~map ~combine ~init:zero =
  reduce_by ?grain lo hi ~map ~combine zero (Dromos_inner.reduce map combine)

(* {1 Scans} *)

(* The {e left} of a block is the combination of [zero] and all elements to the left of
   the block. A block with a known left is written at once: while no worker takes
   blocks, all blocks are written so, left to right. Blocks that a worker takes before
   their left is known are passed over twice (Blelloch, "Prefix sums and their
   applications", 1990, section 1.4): first for their sums; then a pass over the sums
   gives the left of each block; then each block is written. The middle pass is
   sequential, and short: there are no more blocks than elements in a block. *)
let scan_size fiber ?grain n =
  match grain with
  | Some grain -> grain
  | None ->
      if outside fiber then Int.max 1 n
      else
        let root = int_of_float (Float.sqrt (float_of_int n)) in
        let blocks = Int.max 1 (Int.min root (32 * Fiber.workers fiber)) in
        ((n - 1) / blocks) + 1

type 'a scan = {
  reduce : int -> 'a; (* the sum of a block, by number *)
  combine : 'a -> 'a -> 'a;
  write : 'a -> int -> 'a; (* writes a block, by number, from its left *)
  left : 'a array;
      (* the left of each block; one branch of a loop writes a slot, and the slot
         is read after the end of the loop *)
}

(* The sums of the blocks [a .. b - 1], at least one. The last block's sum is not
   needed. *)
let scan_sums s a b = for_ a (b - 1) (fun k -> s.left.(k + 1) <- s.reduce k)

(* Writes the blocks [a .. b - 1], after [scan_sums]. Returns the combination of all
   elements up to the end of the blocks. *)
let scan_write s left a b =
  s.left.(a) <- left;
  for k = a + 1 to b - 1 do
    s.left.(k) <- s.combine s.left.(k - 1) s.left.(k)
  done;
  let total = ref left in
  for_ a b (fun k ->
      let sum = s.write s.left.(k) k in
      if k = b - 1 then total := sum);
  !total

(* Sums and writes the blocks [a .. b - 1], in one pass if no worker takes a block. *)
let rec scan fiber s left a b =
  if b - a = 1 then begin
    Fork.share fiber;
    s.write left a
  end
  else
    let mid = middle a b in
    let known = Atomic.make None in
    let left, total =
      Fork.both fiber
        (fun fiber ->
          let left = scan fiber s left a mid in
          Atomic.set known (Some left);
          left)
        (fun fiber ->
          match Atomic.get known with
          | Some left -> Some (scan fiber s left mid b)
          | None ->
              scan_sums s mid b;
              None)
    in
    match total with Some total -> total | None -> scan_write s left mid b

(* With a grain, and with random draws, the result must not depend on the run: the whole
   range is passed over twice. *)
let scan_chunks ?grain lo hi ~reduce ~combine ~write ~init:zero =
  Option.iter check_grain grain;
  let n = length lo hi in
  if n = 0 then zero
  else
    let fiber = Fiber.current () in
    let size = scan_size fiber ?grain n in
    let blocks = pieces n size in
    let start k = lo + (k * size) in
    let reduce k = reduce (start k) (start k + size) in
    let write left k = write left (start k) (piece_end (start k) hi size) in
    let s = { reduce; combine; write; left = Array.make blocks zero } in
    if blocks = 1 then scan_write s zero 0 1
    else if grain = None && not !Stream.in_use then scan fiber s zero 0 blocks
    else begin
      scan_sums s 0 blocks;
      scan_write s zero 0 blocks
    end
