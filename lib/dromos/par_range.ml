open Dromos_fiber

(* Parallel loops over ranges, cut for idle workers.

   [Fork.both] halves a range down to leaves. A leaf has one iteration at first, or
   n / (1024 * workers) iterations if greater. The length of leaves is multiplied by
   four as long as a leaf takes less than a microsecond. The user therefore need not
   choose a grain: a cheap body is known after a few iterations, and the loop makes at
   most about two thousand forks per worker, for any body.

   Every right half on the way down is a latent frame, oldest (largest) first. The
   oldest frame is published before each leaf, so a worker that becomes idle gets a
   large piece even while an iteration computes. Before a leaf that may be dear (a leaf
   of a short piece, or a leaf after a dear leaf) all frames are published, so the
   worker finds its next piece there too. Inside a leaf, a load between iterations
   tells whether a worker is idle or the loop is cancelled; the rest of the leaf is
   then forked too. At most one iteration is therefore stranded behind another
   iteration. The exception is an iteration that waits: the rest of its leaf waits
   too.

   An idle worker does not take a published piece at once: the worker has to wake up,
   and may wait for this very processor. Until then the loop cuts no further piece, and
   goes on at full speed as long as the signal stays the same.

   Sources: lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, PPoPP 2010), with
   a test for idle workers in place of the test of the own deque, over latent frames
   (heartbeat scheduling: Acar, Chargueraud, Guatto, Rainey, Sieczkowski, PLDI 2018).

   Exceptions need no code here: [Fork.both] raises the exception of sequential
   evaluation, and a leaf stops where an iteration raises. *)

let outside fiber = fiber == Fiber.nobody

let both fiber f g =
  if outside fiber then
    let a = f fiber in
    let b = g fiber in
    (a, b)
  else Fork.both fiber f g

(* Polls. Called between pieces of sequential work. *)
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

(* The limit keeps twice the grain from overflowing. *)
let grain_or_one = function
  | None -> 1
  | Some grain ->
      check_grain grain;
      Int.min grain (max_int / 4)

(* {1 Loops over elements} *)

let leaves_per_worker = 1024

(* The length of leaves, as measured by one fiber. A fiber that takes a piece begins
   again with the least length: the first iteration of the piece may be long, and
   should have few iterations behind it. *)
type leaf = {
  least : int; (* the length with which each fiber begins *)
  longest : int; (* the length never exceeds [longest] *)
  mutable length : int; (* the present length, in iterations *)
  mutable most : int;
      (* limit of [length]: [longest] at first, [length] once leaves are long
         enough *)
  mutable slow : bool;
      (* the last leaf was long enough: by its body, or by a collection *)
  few : bool; (* the piece is short: leaves are timed to its end *)
  mutable untimed : int;
      (* number of leaves still to be timed, even if the length is fixed *)
  mutable dear : bool;
      (* the next leaf may be so long that all frames are published before *)
}

(* A piece of at most [few] iterations has few frames, and its leaves count as dear
   until the first leaf is over: the first leaf may take as long as all the rest. *)
let few = 64
let is_few n = n <= few

let begin_leaf ~least ~longest n =
  let most = longest and few = is_few n in
  let length = least and slow = false and untimed = 2 and dear = few in
  { least; longest; length; most; slow; few; untimed; dear }

(* The leaves of a loop of [n] iterations. With a given grain the length is fixed. *)
let leaf fiber n grain =
  let workers = Fiber.workers fiber in
  let least =
    Int.max ((2 * grain_or_one grain) - 1) (n / (leaves_per_worker * workers))
  in
  let longest =
    if Option.is_some grain then least else Int.max least (n / (4 * workers))
  in
  begin_leaf ~least ~longest n

(* In nanoseconds: the work done once for each leaf is a small part of such a leaf. *)
let long_enough = 1000

(* In nanoseconds: publishing a frame takes a hundredth of such a leaf. *)
let dear_enough = 20_000

(* The leaves of a taken piece of [n] iterations. *)
let anew { least; longest; _ } n = begin_leaf ~least ~longest n

let settle leaf length =
  leaf.most <- length;
  leaf.length <- length

(* Notes that a leaf took [took] nanoseconds. Two slow leaves in a row fix the length:
   a single slow leaf may have made the loop's result, or met a collection. *)
let note leaf took =
  leaf.untimed <- Int.max 0 (leaf.untimed - 1);
  leaf.dear <- took >= dear_enough;
  if took < long_enough then begin
    leaf.length <- Int.min leaf.most (4 * leaf.length);
    leaf.slow <- false
  end
  else if leaf.slow then settle leaf leaf.length
  else leaf.slow <- true

(* [of_leaf leaf fiber work] runs a whole leaf, [work], and times the leaf while its
   length may change. If an iteration waited, the rest of the leaf waited too: leaves
   have the least length from then on. *)
let[@inline] of_leaf leaf fiber work =
  if leaf.dear then Fork.share_all fiber else Fork.share fiber;
  let timed = leaf.length < leaf.most || leaf.untimed > 0 || leaf.few in
  if leaf.longest = leaf.least && not timed then work ()
  else begin
    let worker = fiber.Types.worker in
    let before = worker.suspensions in
    let begun = if timed then Ticks.clock () else 0 in
    let result = work () in
    if fiber.worker != worker || worker.suspensions <> before then
      settle leaf leaf.least
    else if timed then note leaf (Ticks.clock () - begun);
    result
  end

type loop = { grain : int; leaf : leaf; run : Dromos_inner.run }

let middle lo hi = lo + ((hi - lo) / 2)

(* The signal of no fiber: always 0. *)
let no_signal = Fiber.nobody.signal

let rec blocks fiber sign grain (run : Dromos_inner.run) lo hi =
  let stop = if hi - lo <= grain then hi else lo + grain in
  ignore (run no_signal 0 lo stop : int);
  if stop < hi && Fork.sign fiber = sign then
    blocks fiber sign grain run stop hi
  else stop

(* Runs at least one iteration, and goes on while the signal is [sign]. Returns the
   first iteration not run. *)
let iterations fiber sign { grain; run; _ } lo hi =
  if grain > 1 then blocks fiber sign grain run lo hi
  else
    let next = run no_signal 0 lo (lo + 1) in
    if next < hi then run fiber.Types.signal sign next hi else next

(* The signal under which a loop runs on: 0 if [Fork.sign] is positive, so the loop
   stops after an iteration. *)
let calm fiber = Int.min 0 (Fork.sign fiber)

(* The number of pieces to run before the next poll, while an offer is not taken. The
   number is limited: an offer may be taken just when another worker becomes idle, and
   the signal is then the same again. *)
let longer stretch = if stretch < 32 then 2 * stretch else stretch

let limit ~grain lo hi stretch =
  if (hi - lo - 1) / stretch < grain then hi else lo + (stretch * grain)

(* All functions from here to [rest] need [lo < hi]. *)
let rec halve fiber loop lo hi =
  if hi - lo <= loop.leaf.length then begin
    (* An iteration may be long code without poll points. [of_leaf] publishes a
       frame before the leaf, for a worker that becomes idle meanwhile. *)
    of_leaf loop.leaf fiber (fun () -> steps fiber loop lo hi)
  end
  else
    let mid = middle lo hi in
    let (), () =
      Fork.both fiber
        (fun fiber -> halve fiber loop lo mid)
        (fun taker ->
          let loop =
            if taker == fiber then loop
            else { loop with leaf = anew loop.leaf (hi - mid) }
          in
          halve taker loop mid hi)
    in
    ()

and steps fiber loop lo hi =
  let next = iterations fiber (calm fiber) loop lo hi in
  if next < hi then rest fiber loop 1 next hi

(* Polls, and runs the rest of a leaf. The poll raises if the loop is cancelled, and
   publishes the oldest frame if a worker is idle. While the published frame waits to
   be taken, the leaf goes on; if there is no frame, or the frame was taken, the rest
   of the leaf is cut in two. *)
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
  let fiber = Fiber.current () in
  let least = grain_or_one grain in
  if n > 0 then
    if outside fiber then ignore (run no_signal 0 lo hi : int)
    else halve fiber { grain = least; leaf = leaf fiber n grain; run } lo hi

(* Random draws need an index for each iteration. While streams are in use, each
   iteration is therefore a call of its own. *)
let for_by ?grain lo hi run =
  if !Stream.in_use then
    let iteration i = ignore (run no_signal 0 i (i + 1) : int) in
    Stream.loop iteration (fun iteration ->
        run_range ?grain lo hi (Dromos_inner.body iteration))
  else run_range ?grain lo hi run

let for_ ?grain lo hi body = for_by ?grain lo hi (Dromos_inner.body body)

(* {1 Pieces} *)

(* The length of the pieces of the chunked forms: [grain] if given. Otherwise a piece is
   long enough to make the call around its inner loop cheap, but there are at least
   eight pieces for each worker. Outside a run, a piece is the whole range. *)
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
