(* The states of the cell of worker [i]:

   |     Busy       a dealer must not deal to the worker
   |     Waiting    the worker wants an item
   |     Dealt      a dealer has put an item into the cell

   |     from       to         by          how
   |     Busy       Waiting    worker [i]  store
   |     Waiting    Dealt      a dealer    compare-and-set
   |     Waiting    Busy       worker [i]  compare-and-set: withdraws
   |     Dealt      Busy       worker [i]  store: collects the item

   The receiver collects every item that was dealt to it, and no dealer
   deals to a worker that has withdrawn. [t.waiting] is the number of cells
   that are not [Busy]; the number is inexact while an owner changes its
   cell. [t.waiting] is a hint that spares dealers the search. *)
type 'a cell = Busy | Waiting | Dealt of { item : 'a }

type 'a worker = {
  ring : 'a Ring.t; (* worker [i]'s *)
  cell : 'a cell Atomic.t;
  mutable waits : bool; (* worker [i]'s: [cell] is not [Busy] *)
  mutable receiver : int;
      (* worker [i]'s: the last worker that it dealt to, or [nobody] *)
  mutable next : int; (* worker [i]'s: where it looks for the next receiver *)
}

type 'a t = { all : 'a worker array; waiting : int Atomic.t }

let nobody = -1
let initial_capacity = 64

let create ~workers ~dummy =
  let make i =
    let ring = Ring.create ~capacity:initial_capacity ~dummy in
    let cell = Atomic.make_contended Busy in
    { ring; cell; waits = false; receiver = nobody; next = i }
  in
  let waiting = Atomic.make_contended 0 in
  { all = Array.init workers make; waiting }

let workers t = Array.length t.all
let worker t i = Array.get t.all i
let size t i = Ring.size (worker t i).ring
let is_empty t i = Ring.is_empty (worker t i).ring

(* Other threads than the owner read the two indices racily. The result is a
   hint; no thread takes an item because of the hint. *)
let may_have t i = not (Ring.is_empty (worker t i).ring)

(* {1 The dealer} *)

(* The owner alone uses the ring, so the item is still there after the
   compare-and-set. *)
let offer mine other =
  match Atomic.get other.cell with
  | Busy -> false
  | Dealt _ -> false
  | Waiting -> (
      match Ring.oldest mine.ring with
      | None -> false
      | Some item ->
          if Atomic.compare_and_set other.cell Waiting (Dealt { item }) then begin
            Ring.drop mine.ring;
            true
          end
          else false)

(* Deals at most one item per operation, to the waiting workers in turn. *)
let rec deal_from t mine j left =
  if left > 0 then begin
    let following = if j + 1 = workers t then 0 else j + 1 in
    if offer mine (worker t j) then begin
      mine.receiver <- j;
      mine.next <- following
    end
    else deal_from t mine following (left - 1)
  end

let deal t mine =
  if Atomic.get t.waiting > 0 then
    if not (Ring.is_empty mine.ring) then
      let first = mine.next in
      deal_from t mine first (workers t)

let tick t i = deal t (worker t i)

let push t i v =
  let mine = worker t i in
  Ring.push mine.ring v;
  deal t mine

let pop t i =
  let mine = worker t i in
  match Ring.pop mine.ring with
  | None -> None
  | Some _ as popped ->
      (* The caller's own item comes first; the dealer may deal from the
         other items. *)
      deal t mine;
      popped

let oldest t i =
  let mine = worker t i in
  Ring.take mine.ring

let dealt t i =
  let mine = worker t i in
  let receiver = mine.receiver in
  if receiver <> nobody then mine.receiver <- nobody;
  receiver

(* No thief leaves a request, so there is no request to refuse. *)
let block _ _ = ()
let unblock _ _ = ()

(* {1 The receiver} *)

let waits_for_answer t i =
  let mine = worker t i in
  mine.waits

let over t mine =
  mine.waits <- false;
  Atomic.decr t.waiting

let collect t mine =
  match Atomic.get mine.cell with
  | Busy -> None
  | Waiting -> None
  | Dealt dealt ->
      Atomic.set mine.cell Busy;
      over t mine;
      Some dealt.item

let withdraw t i =
  let mine = worker t i in
  if mine.waits then
    if Atomic.compare_and_set mine.cell Waiting Busy then begin
      over t mine;
      None
    end
    else collect t mine
  else None

let steal t ~thief ~victim:_ =
  let mine = worker t thief in
  if mine.waits then collect t mine
  else begin
    mine.waits <- true;
    Atomic.set mine.cell Waiting;
    Atomic.incr t.waiting;
    None
  end
