(* An owner pushes and pops while other domains steal. The taker of an item marks
   the item, and asserts that the item was not marked before. The mark is a plain
   field, so two takers of one item would also race. The result is the sum of all
   taken items. *)

module Deque = Dromos_deque.Bounded

type item = { value : int; mutable taken : bool }
type t = { deque : item Deque.t; stop : bool Atomic.t }

let take item =
  assert (not item.taken);
  item.taken <- true;
  item.value

let take_any found = match found with None -> 0 | Some item -> take item

(* A thief steals until the owner sets [stop]. *)
let rec steal t sum =
  if Atomic.get t.stop then sum
  else
    let value = take_any (Deque.steal t.deque) in
    steal t (sum + value)

(* The owner pushes items of the values n, ..., 1. If the deque is full, the owner
   takes the item. The owner pops after every third item. *)
let rec push t n sum =
  if n = 0 then sum
  else
    let item = { value = n; taken = false } in
    let value = if Deque.push t.deque item then 0 else take item in
    let popped = if n mod 3 = 0 then take_any (Deque.pop t.deque) else 0 in
    push t (n - 1) (sum + value + popped)

let rec drain t sum =
  match Deque.pop t.deque with
  | None -> sum
  | Some item ->
      let value = take item in
      drain t (sum + value)

let own t items =
  let pushed = push t items 0 in
  let sum = drain t pushed in
  Atomic.set t.stop true;
  sum

(* The caller acts as the owner while [thieves] other domains steal. *)
let rec with_thieves t thieves items =
  if thieves = 0 then own t items
  else
    let thief = Domain.spawn (fun () -> steal t 0) in
    let sum = with_thieves t (thieves - 1) items in
    let stolen = Domain.join thief in
    sum + stolen

let run capacity thieves items =
  let dummy = { value = 0; taken = false } in
  let deque = Deque.create ~capacity ~dummy in
  let stop = Atomic.make false in
  with_thieves { deque; stop } thieves items
