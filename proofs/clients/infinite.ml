(* The deque of Chase and Lev over an infinite array; the bounded deque and the
   growing deque are derived from this deque. No slot serves two indices, and no
   slot is cleared. The file is kept for its proof (proofs/deque/infinite.v); no
   other code uses the deque. *)

(* An infinite array: the slots beyond the end of [items] hold [default]. *)
type 'a cells = {
  mutex : Mutex.t;
  mutable items : 'a array; (* protected by [mutex] *)
  default : 'a;
}

let make_cells default =
  let mutex = Mutex.create () in
  { mutex; items = [||]; default }

(* Item [i] of [items], or [default] beyond the end. *)
let item items default i =
  if i < Array.length items then Array.get items i else default

let get cells i =
  Mutex.lock cells.mutex;
  let v = item cells.items cells.default i in
  Mutex.unlock cells.mutex;
  v

let set cells i v =
  Mutex.lock cells.mutex;
  let items = cells.items in
  if i < Array.length items then Array.set items i v
  else begin
    let more = Array.init ((2 * i) + 1) (fun j -> item items cells.default j) in
    Array.set more i v;
    cells.items <- more
  end;
  Mutex.unlock cells.mutex

type 'a t = { front : int Atomic.t; back : int Atomic.t; cells : 'a cells }
[@@prophecy]

let create ~dummy =
  let front = Atomic.make 0 in
  let back = Atomic.make 0 in
  let cells = make_cells dummy in
  { front; back; cells }

let size t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then 0 else b - f

let is_empty t = size t = 0

let push t v =
  let b = Atomic.get t.back in
  set t.cells b v;
  Atomic.set t.back (b + 1)

let pop t =
  let b = Atomic.get t.back - 1 in
  Atomic.set t.back b;
  let f = Atomic.get t.front in
  if b < f then begin
    Atomic.set t.back f;
    None
  end
  else
    let v = get t.cells b in
    if f < b then Some v
    else
      (let won =
         (Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id])
       in
       Atomic.set t.back (f + 1);
       if won then Some v else None) [@fresh id]

let rec steal t =
  (let f = Atomic.get t.front in
   let b = Atomic.get t.back in
   if b <= f then None
   else
     let v = get t.cells f in
     if Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id] then Some v
     else steal t)
  [@fresh id]
