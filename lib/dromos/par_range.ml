(* Ranges, cut for idle workers.

   A range is halved by [Fork.both] down to leaves of one iteration, or of
   n / (1024 * workers) of them where that is more: at most about two thousand
   forks per worker, whatever the body costs, so the overhead is bounded and no
   grain has to be chosen. Every right half on the way down is a latent frame,
   oldest (largest) first, so a worker that becomes idle gets a large piece
   even while an iteration computes. Inside a leaf, one load between iterations
   tells whether somebody is idle or the loop is cancelled; then the rest of the
   leaf is forked too. So no more than one iteration is ever stranded behind
   another.

   What was published is not taken at once: whoever is idle has to wake up, and may
   wait for this very processor. Until then nothing is cut, and the loop goes on at
   full speed as long as the signal stays the same.

   Sources: lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, PPoPP
   2010), with the test of an own deque replaced by that of idle workers, over
   latent frames (heartbeat scheduling: Acar, Chargueraud, Guatto, Rainey,
   Sieczkowski, PLDI 2018).

   Exceptions need nothing here: [Fork.both] has those of sequential
   evaluation, and a leaf stops where it raises. *)

let outside fiber = fiber == Fiber.nobody

let both fiber f g =
  if outside fiber then
    let a = f fiber in
    let b = g fiber in
    (a, b)
  else Fork.both fiber f g

(* Between pieces of sequential work. *)
let check fiber =
  if (not (outside fiber)) && Fork.wanted fiber then Fork.poll fiber

(* {1 Arguments} *)

let length lo hi =
  if hi <= lo then 0
  else
    let n = hi - lo in
    if n > 0 then n
    else invalid_arg "Dromos.Par: the range has more than max_int elements"

let check_grain grain =
  if grain < 1 then
    invalid_arg
      (Printf.sprintf "Dromos.Par: ~grain is %d, it must be at least 1" grain)

(* The cap keeps twice a grain from overflowing. *)
let grain_or_one = function
  | None -> 1
  | Some grain ->
      check_grain grain;
      Int.min grain (max_int / 4)

(* {1 Loops over elements} *)

let leaves_per_worker = 1024

let leaf_size fiber n grain =
  Int.max ((2 * grain) - 1) (n / (leaves_per_worker * Fiber.workers fiber))

(* [run signal sign lo hi] is the inner loop: the iterations from [lo] on until
   [hi], or while [signal] is [sign]; the next index. Each operation has its own, so
   that the user's function is the only one that is called for an element: a
   [while], where what does not change is spilled once before the loop, and not, as
   in a recursive function, at every call. *)
type run = int Atomic.t -> int -> int -> int -> int
type loop = { grain : int; leaf : int; run : run }

let middle lo hi = lo + ((hi - lo) / 2)
let[@inline] still signal (sign : int) = Atomic.get signal = sign

(* Of nobody: it stays 0. *)
let no_signal = Fiber.nobody.signal

let run_body body signal sign lo hi =
  let i = ref lo in
  while !i < hi && still signal sign do
    body !i;
    incr i
  done;
  !i

let rec blocks fiber sign grain (run : run) lo hi =
  let stop = if hi - lo <= grain then hi else lo + grain in
  ignore (run no_signal 0 lo stop : int);
  if stop < hi && Fork.sign fiber = sign then
    blocks fiber sign grain run stop hi
  else stop

(* At least one iteration. *)
let iterations fiber sign { grain; run; _ } lo hi =
  if grain > 1 then blocks fiber sign grain run lo hi
  else
    let next = run no_signal 0 lo (lo + 1) in
    if next < hi then run fiber.Fiber.signal sign next hi else next

(* Of a loop that nobody waits for. *)
let calm fiber = Int.min 0 (Fork.sign fiber)

(* How far to go while an offer waits that was not taken for [stretch] pieces: they
   are not many, since one may be taken just when somebody else becomes idle, and the
   signal is the same again. *)
let longer stretch = if stretch < 32 then 2 * stretch else stretch

let limit ~grain lo hi stretch =
  if (hi - lo - 1) / stretch < grain then hi else lo + (stretch * grain)

(* [lo < hi] in all of these. *)
let rec halve fiber loop lo hi =
  if hi - lo <= loop.leaf then begin
    (* The iteration may be long, and code without poll points: whoever becomes
       idle meanwhile finds a piece to take. *)
    Fork.share fiber;
    steps fiber loop lo hi
  end
  else
    let mid = middle lo hi in
    let (), () =
      Fork.both fiber
        (fun fiber -> halve fiber loop lo mid)
        (fun fiber -> halve fiber loop mid hi)
    in
    ()

and steps fiber loop lo hi =
  let next = iterations fiber (calm fiber) loop lo hi in
  if next < hi then rest fiber loop 1 next hi

(* The poll raises if the loop is cancelled, and publishes the oldest frame if
   somebody is idle; if there is none, or that was taken, what is left of this leaf
   is cut. *)
and rest fiber loop stretch lo hi =
  let sign = Fork.sign fiber in
  Fork.poll fiber;
  if sign > 0 && Fork.has_offer fiber then
    let until = limit ~grain:loop.grain lo hi stretch in
    let next = iterations fiber sign loop lo until in
    if next = hi then ()
    else if Fork.sign fiber = sign then rest fiber loop (longer stretch) next hi
    else steps fiber loop next hi
  else if hi - lo >= 2 * loop.grain && Fork.wanted fiber then
    let mid = middle lo hi in
    let (), () =
      Fork.both fiber
        (fun fiber -> steps fiber loop lo mid)
        (fun fiber -> steps fiber loop mid hi)
    in
    ()
  else steps fiber loop lo hi

let run_range ?grain lo hi run =
  let n = length lo hi in
  let grain = grain_or_one grain in
  let fiber = Fiber.current () in
  if n > 0 then
    if outside fiber then ignore (run no_signal 0 lo hi : int)
    else halve fiber { grain; leaf = leaf_size fiber n grain; run } lo hi

(* The loop of [body], where [run] is its inner loop. Draws are made by index, in a
   body. *)
let for_by ?grain lo hi body run =
  if !Stream.in_use then
    Stream.loop body (fun body -> run_range ?grain lo hi (run_body body))
  else run_range ?grain lo hi run

let for_ ?grain lo hi body = for_by ?grain lo hi body (run_body body)

(* {1 Pieces} *)

(* The length of the pieces of the chunked forms: with [~grain] exactly that;
   else long enough for an inner loop to forget the call around it, but at least
   eight pieces for each worker. Outside a run, the whole range. *)
let piece_size fiber ?grain n =
  match grain with
  | Some grain ->
      check_grain grain;
      grain
  | None ->
      if outside fiber then Int.max 1 n
      else
        let workers = Fiber.workers fiber in
        Int.max 1
          (Int.min
             (n / (8 * workers))
             (Int.max 1024 (n / (leaves_per_worker * workers))))

let pieces n size = if n = 0 then 0 else ((n - 1) / size) + 1

(* The end of the piece that starts at [l]. *)
let piece_end l hi size = if hi - l <= size then hi else l + size

let for_pieces lo hi size body =
  for_ 0
    (pieces (length lo hi) size)
    (fun k ->
      let l = lo + (k * size) in
      body l (piece_end l hi size))

let for_chunks ?grain lo hi body =
  let n = length lo hi in
  let size = piece_size (Fiber.current ()) ?grain n in
  if n > 0 then
    if n <= size && not !Stream.in_use then body lo hi
    else for_pieces lo hi size body

(* {1 Reductions} *)

(* A fixed tree: it depends on the range and the size of the pieces alone, so
   that also operators that are only nearly associative (floating-point sums)
   give the same result every time. *)
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

let map_reduce_chunks ?grain lo hi ~map ~combine zero =
  let n = length lo hi in
  let fiber = Fiber.current () in
  let size = piece_size fiber ?grain n in
  let reduce map = reduce_pieces fiber size lo hi ~map ~combine in
  if n = 0 then zero
  else if !Stream.in_use then
    let piece l = map l (piece_end l hi size) in
    combine zero (Stream.loop piece (fun piece -> reduce (fun l _ -> piece l)))
  else combine zero (reduce map)

(* [fold signal sign acc lo hi] is the inner loop of a reduction: as a {!run}, with
   what stands to the left of [lo], and then of the next index. *)
type 'a fold = int Atomic.t -> int -> 'a -> int -> int -> 'a * int

type 'a reduction = {
  least : int;
  first : int -> 'a;
  fold : 'a fold;
  combine : 'a -> 'a -> 'a;
}

let fold_body combine map signal sign acc lo hi =
  let acc = ref acc and i = ref lo in
  while !i < hi && still signal sign do
    acc := combine !acc (map !i);
    incr i
  done;
  (!acc, !i)

(* At least one iteration; [lo < hi]. *)
let fold_on fiber fold sign acc lo hi =
  let ((acc, next) as one) = fold no_signal 0 acc lo (lo + 1) in
  if next < hi then fold fiber.Fiber.signal sign acc next hi else one

(* As [halve], [steps] and [rest]; what is known of the left of a leaf stays with
   its left half when the rest is cut. *)
let rec reduce fiber r lo hi =
  if hi - lo <= r.least then reduce_steps fiber r (r.first lo) (lo + 1) hi
  else
    let mid = middle lo hi in
    let a, b =
      Fork.both fiber
        (fun fiber -> reduce fiber r lo mid)
        (fun fiber -> reduce fiber r mid hi)
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

let reduce_range ?grain lo hi ~combine zero first (fold : _ fold) =
  let n = length lo hi in
  let fiber = Fiber.current () in
  let whole acc lo hi =
    if lo >= hi then acc else fst (fold no_signal 0 acc lo hi)
  in
  match grain with
  | Some grain ->
      let map l h = whole (first l) (l + 1) h in
      map_reduce_chunks ~grain lo hi ~map ~combine zero
  | None ->
      if n = 0 then zero
      else if outside fiber then whole zero lo hi
      else
        combine zero
          (reduce fiber
             { least = leaf_size fiber n 1; first; fold; combine }
             lo hi)

(* As [for_by]. *)
let reduce_by ?grain lo hi ~map ~combine zero fold =
  if !Stream.in_use then
    Stream.loop map (fun map ->
        reduce_range ?grain lo hi ~combine zero map (fold_body combine map))
  else reduce_range ?grain lo hi ~combine zero map fold

let map_reduce ?grain lo hi ~map ~combine zero =
  reduce_by ?grain lo hi ~map ~combine zero (fold_body combine map)

(* {1 Scans} *)

(* A block whose left is known is written at once; so are all, left to right, while
   nobody takes any. Blocks that somebody takes before their left is known are
   passed over twice: their sums, then, left to right over the few sums, what stands
   to the left of each of them, then the blocks again, each with its own start
   (Blelloch, "Prefix sums and their applications", 1990, section 1.4). The middle
   pass is sequential: no more blocks than elements in each of them. *)
let scan_size fiber ?grain n =
  match grain with
  | Some grain ->
      check_grain grain;
      grain
  | None ->
      if outside fiber then Int.max 1 n
      else
        let root = int_of_float (Float.sqrt (float_of_int n)) in
        let blocks = Int.max 1 (Int.min root (32 * Fiber.workers fiber)) in
        ((n - 1) / blocks) + 1

type 'a scan = {
  reduce : int -> 'a; (* of a block, by number *)
  combine : 'a -> 'a -> 'a;
  write : 'a -> int -> 'a; (* likewise *)
  left : 'a array;
      (* what stands to the left of a block. Each slot is written by
                      one branch of a loop and read after its end *)
}

(* Blocks [a .. b - 1], not empty; the last one's sum nobody needs. *)
let scan_sums s a b = for_ a (b - 1) (fun k -> s.left.(k + 1) <- s.reduce k)

(* After [scan_sums]; all up to the end of the blocks, combined. *)
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

(* The same, in one pass where nobody takes anything. *)
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

(* With a grain, and where what is drawn must not depend on the run, always in two
   passes. *)
let scan_chunks ?grain lo hi ~reduce ~combine ~write zero =
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
