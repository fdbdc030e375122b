(* Worker [i] has two cells.

   [request] is what thieves find when they want an item of worker [i]:

   |     free       worker [i] has items; a thief may ask
   |     j >= 0     the request of thief [j] is pending
   |     shut       worker [i] has no items to share

   |     from       to         by          how
   |     free       j          thief [j]   compare-and-set: asks
   |     j          free       thief [j]   compare-and-set: withdraws
   |     j          free       worker [i]  compare-and-set: must then answer
   |     free, j    shut       worker [i]  exchange: must then answer [j]
   |     shut       free       worker [i]  store; no other thread writes then

   Every request is either withdrawn or answered, once. Between two
   operations of a worker that is not blocked, its [request] is [shut] if and
   only if its ring is empty.

   [answer] is the answer to worker [i] as a thief, and [Silence] before an
   answer. The victim that took the request from its own cell writes
   [answer], and worker [i] resets [answer] to [Silence] when it collects.
   While worker [i] waits for no victim, [answer] is [Silence]. *)
type 'a answer = Silence | Refused | Given of { item : 'a }

type 'a worker = {
  ring : 'a Ring.t; (* worker [i]'s *)
  request : int Atomic.t;
  answer : 'a answer Atomic.t;
  mutable is_shut : bool; (* worker [i]'s: [request] is [shut] *)
  mutable asked : int; (* worker [i]'s: the victim it waits for, or [nobody] *)
}

type 'a t = { all : 'a worker array }

let free = -1
let shut = -2
let nobody = -1
let initial_capacity = 64

let create ~workers ~dummy =
  let make _ =
    let ring = Ring.create ~capacity:initial_capacity ~dummy in
    let request = Atomic.make_contended shut in
    let answer = Atomic.make_contended Silence in
    { ring; request; answer; is_shut = true; asked = nobody }
  in
  { all = Array.init workers make }

let workers t = Array.length t.all
let worker t i = Array.get t.all i
let size t i = Ring.size (worker t i).ring
let is_empty t i = Ring.is_empty (worker t i).ring

let may_have t i =
  let request = Atomic.get (worker t i).request in
  request <> shut

(* {1 The victim} *)

let open_ mine =
  if mine.is_shut then begin
    mine.is_shut <- false;
    Atomic.set mine.request free
  end

(* Refuses a pending request. *)
let close t mine =
  if not mine.is_shut then begin
    mine.is_shut <- true;
    let thief = Atomic.exchange mine.request shut in
    if thief <> free then
      let other = worker t thief in
      Atomic.set other.answer Refused
  end

let close_if_empty t mine = if Ring.is_empty mine.ring then close t mine

(* Gives [thief] the oldest item, unless [thief] has withdrawn. *)
let hand_over t mine thief =
  if Atomic.compare_and_set mine.request thief free then begin
    let other = worker t thief in
    match Ring.take mine.ring with
    | Some item -> Atomic.set other.answer (Given { item })
    | None -> Atomic.set other.answer Refused
  end

let respond t mine =
  let thief = Atomic.get mine.request in
  if 0 <= thief then begin
    hand_over t mine thief;
    close_if_empty t mine
  end

let tick t i = respond t (worker t i)

let push t i v =
  let mine = worker t i in
  Ring.push mine.ring v;
  open_ mine;
  respond t mine

let pop t i =
  let mine = worker t i in
  match Ring.pop mine.ring with
  | None -> None
  | Some _ as popped ->
      (* The caller's own item comes first; a thief may take from the other
         items. *)
      if Ring.is_empty mine.ring then close t mine else respond t mine;
      popped

let oldest t i =
  let mine = worker t i in
  match Ring.take mine.ring with
  | None -> None
  | Some _ as taken ->
      if Ring.is_empty mine.ring then close t mine else respond t mine;
      taken

let block t i = close t (worker t i)

let unblock t i =
  let mine = worker t i in
  if not (Ring.is_empty mine.ring) then open_ mine

(* {1 The thief} *)

let waits_for_answer t i =
  let mine = worker t i in
  mine.asked <> nobody

let collect mine =
  match Atomic.get mine.answer with
  | Silence -> None
  | Refused ->
      Atomic.set mine.answer Silence;
      mine.asked <- nobody;
      None
  | Given given ->
      Atomic.set mine.answer Silence;
      mine.asked <- nobody;
      Some given.item

let ask t thief mine victim =
  let other = worker t victim in
  let request = Atomic.get other.request in
  if request = free then
    if Atomic.compare_and_set other.request free thief then mine.asked <- victim

(* Withdraws the request if the request is still in the cell. Otherwise the
   victim has answered, or will answer within a few instructions. *)
let take_back t thief mine =
  let other = worker t mine.asked in
  if Atomic.compare_and_set other.request thief free then begin
    mine.asked <- nobody;
    None
  end
  else collect mine

let withdraw t i =
  let mine = worker t i in
  if mine.asked = nobody then None else take_back t i mine

let steal t ~thief ~victim =
  let mine = worker t thief in
  let collected =
    if mine.asked = nobody then None
    else if mine.asked = victim then collect mine
    else take_back t thief mine
  in
  match collected with
  | Some _ -> collected
  | None ->
      if mine.asked = nobody then ask t thief mine victim;
      None
