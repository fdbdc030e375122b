(* Ranges, cut for idle workers.

   A range is halved by [Fork.both] down to leaves: of one iteration at first, or of
   n / (1024 * workers) of them where that is more, and of four times as many as long
   as a leaf takes less than a microsecond. So no grain has to be chosen, a cheap body
   is known after a few iterations, and there are at most about two thousand forks per
   worker, whatever the body costs. Every right half on the way down is a latent frame,
   oldest (largest) first, and the oldest is published before each leaf, so a worker
   that becomes idle gets a large piece even while an iteration computes. Before a
   leaf that may be dear (one of few, or one that follows a dear one) all are
   published, so the worker finds the next piece there too. Inside a leaf, one load
   between iterations tells whether somebody is idle or the loop is cancelled; then
   the rest of the leaf is forked too. So no more than one iteration is ever stranded
   behind another, but behind one of its leaf that waits.

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

(* How long leaves are: what one fiber has found out. A fiber that takes a piece begins
   anew, so that the first iteration it meets has nothing behind it. *)
type leaf = {
  least : int; (* what each fiber begins with *)
  longest : int;
  mutable length : int;
  mutable most : int; (* [longest]; the length, once leaves were long enough *)
  mutable slow : bool; (* the last leaf was: by its body, or by a collection *)
  few : bool; (* the piece is short: leaves are timed to its end *)
  mutable untimed : int;
      (* leaves that are timed although their length is given *)
  mutable dear : bool;
      (* a leaf may take so long that all to its right is shared *)
}

(* A piece this short has few frames. Until its first leaf is over, the leaf may be
   the one that takes as long as all the others. *)
let few = 64
let is_few n = n <= few

let begin_leaf ~least ~longest n =
  let most = longest and few = is_few n in
  let length = least and slow = false and untimed = 2 and dear = few in
  { least; longest; length; most; slow; few; untimed; dear }

(* With a grain that is given they keep their length. *)
let leaf fiber n grain =
  let workers = Fiber.workers fiber in
  let least =
    Int.max ((2 * grain_or_one grain) - 1) (n / (leaves_per_worker * workers))
  in
  let longest =
    if Option.is_some grain then least else Int.max least (n / (4 * workers))
  in
  begin_leaf ~least ~longest n

(* Nanoseconds, of a leaf: then what is done once for each leaf is a small part. *)
let long_enough = 1000

(* Nanoseconds, of a leaf: then sharing a frame, as each leaf does, is a hundredth. *)
let dear_enough = 20_000

(* For a taken piece of [n] iterations. *)
let anew { least; longest; _ } n = begin_leaf ~least ~longest n

let settle leaf length =
  leaf.most <- length;
  leaf.length <- length

(* A leaf took [took] nanoseconds. Two slow leaves in a row tell a dear body; one may
   have made the loop's result, or met a collection. *)
let note leaf took =
  leaf.untimed <- Int.max 0 (leaf.untimed - 1);
  leaf.dear <- took >= dear_enough;
  if took < long_enough then begin
    leaf.length <- Int.min leaf.most (4 * leaf.length);
    leaf.slow <- false
  end
  else if leaf.slow then settle leaf leaf.length
  else leaf.slow <- true

(* [of_leaf leaf fiber work]: [work] is a whole leaf. If it waited, what is left of the
   leaf has waited with it: leaves are short from then on. *)
let[@inline] of_leaf leaf fiber work =
  if leaf.dear then Fork.share_all fiber else Fork.share fiber;
  let timed = leaf.length < leaf.most || leaf.untimed > 0 || leaf.few in
  if leaf.longest = leaf.least && not timed then work ()
  else begin
    let worker = fiber.Fiber.worker in
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

(* Of nobody: it stays 0. *)
let no_signal = Fiber.nobody.signal

let rec blocks fiber sign grain (run : Dromos_inner.run) lo hi =
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
  if hi - lo <= loop.leaf.length then begin
    (* The iteration may be long, and code without poll points: whoever becomes
       idle meanwhile finds a piece to take. *)
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
  let fiber = Fiber.current () in
  let least = grain_or_one grain in
  if n > 0 then
    if outside fiber then ignore (run no_signal 0 lo hi : int)
    else halve fiber { grain = least; leaf = leaf fiber n grain; run } lo hi

(* Random draws need an index for each iteration, so then each is a run of its own. *)
let for_by ?grain lo hi run =
  if !Stream.in_use then
    let iteration i = ignore (run no_signal 0 i (i + 1) : int) in
    Stream.loop iteration (fun iteration ->
        run_range ?grain lo hi (Dromos_inner.body iteration))
  else run_range ?grain lo hi run

let for_ ?grain lo hi body = for_by ?grain lo hi (Dromos_inner.body body)

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
