(* Ghost code: prophecies. *)
type t = { front : int Atomic.t; size : int } [@@prophecy]
type u = { top : int Atomic.t; mutable low : int } [@@prophecy]

let create size =
  let front = Atomic.make 0 in
  { front; size }

let create_mutable low =
  let top = Atomic.make 0 in
  { top; low }

let size t = t.size

let take t =
  (let f = Atomic.get t.front in
   (Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id]))
  [@fresh id]

let take_mutable u =
  (let f = Atomic.get u.top in
   if Atomic.compare_and_set u.top f (f + 1) [@resolve u, f, id] then Some f
   else None)
  [@fresh id]

let untold x = compare x x [@@untranslated "it is not needed"]
