let grain ctx beg end_ chunk =
  match chunk with
  | Some chunk -> if chunk < 1 then 1 else chunk
  | None ->
      let share = (end_ - beg) / (32 * Pool.size ctx) in
      if share < 1 then 1 else share

let middle lo hi = lo + ((hi - lo) / 2)

(* Between two chunks, [Pool.tick] answers a thief that has asked for work. *)
let rec for_range ctx lo hi chunk body =
  if hi - lo <= chunk then body ctx lo hi
  else if Pool.has_work ctx then begin
    let next = lo + chunk in
    body ctx lo next;
    Pool.tick ctx;
    for_range ctx next hi chunk body
  end
  else
    let mid = middle lo hi in
    let upper = Future.async ctx (fun ctx -> for_range ctx mid hi chunk body) in
    for_range ctx lo mid chunk body;
    Future.wait ctx upper

let for_ ctx ~beg ~end_ ~chunk body =
  if beg < end_ then
    let chunk = grain ctx beg end_ chunk in
    for_range ctx beg end_ chunk body

let rec each ctx lo hi body =
  if lo < hi then begin
    body ctx lo;
    each ctx (lo + 1) hi body
  end

let for_each ctx ~beg ~end_ ~chunk body =
  for_ ctx ~beg ~end_ ~chunk (fun ctx lo hi -> each ctx lo hi body)

type 'a folding = {
  chunk : int;
  body : Pool.context -> int -> int -> 'a;
  merge : 'a -> 'a -> 'a;
}

(* [fold_range] is the value of a non-empty range. [fold_after] merges
   [before], the value of all indices before the range, with the value of the
   range. *)
let rec fold_range ctx lo hi folding =
  if hi - lo <= folding.chunk then folding.body ctx lo hi
  else if Pool.has_work ctx then begin
    let next = lo + folding.chunk in
    let value = folding.body ctx lo next in
    Pool.tick ctx;
    fold_after ctx value next hi folding
  end
  else fold_split ctx lo hi folding

and fold_after ctx before lo hi folding =
  if folding.chunk < hi - lo && Pool.has_work ctx then begin
    let next = lo + folding.chunk in
    let value = folding.body ctx lo next in
    let before = folding.merge before value in
    Pool.tick ctx;
    fold_after ctx before next hi folding
  end
  else
    let value = fold_range ctx lo hi folding in
    folding.merge before value

and fold_split ctx lo hi folding =
  let mid = middle lo hi in
  let upper = Future.async ctx (fun ctx -> fold_range ctx mid hi folding) in
  let lower = fold_range ctx lo mid folding in
  let upper = Future.wait ctx upper in
  folding.merge lower upper

let fold ctx ~beg ~end_ ~chunk ~body ~merge empty =
  if beg < end_ then
    let chunk = grain ctx beg end_ chunk in
    fold_range ctx beg end_ { chunk; body; merge }
  else empty

(* [best] only decreases. The search skips an index only if it has found this
   index or a lower index. *)
let rec lower (best : int Atomic.t) i =
  let seen = Atomic.get best in
  if i < seen then if not (Atomic.compare_and_set best seen i) then lower best i

let rec find_from ctx lo hi best holds =
  if lo < hi then
    if lo < Atomic.get best then
      if holds ctx lo then lower best lo
      else find_from ctx (lo + 1) hi best holds

let find ctx ~beg ~end_ ~chunk holds =
  let best = Atomic.make_contended end_ in
  for_ ctx ~beg ~end_ ~chunk (fun ctx lo hi -> find_from ctx lo hi best holds);
  let found = Atomic.get best in
  if found < end_ then Some found else None
