(* The comment in [Bounded] explains indices, [swept], and why thieves may
   read slots without synchronization. The array of this deque changes, which
   adds three points:

   - The owner alone replaces the array. The new array holds the same items
     [front, back) under the same indices, and the owner never writes the old
     array again.
   - A thief reads the array after [back], and so after it has seen that item
     [f] is there. If the thief wins item [f], the item was in the deque when
     the thief read the array. The array held the item at that moment, and
     holds the item for ever if the owner replaces the array later.
   - Therefore the owner never resizes between the claim of the last item and
     the compare-and-set for the item.

   Attributes are ghost code, as in [Bounded]. *)

type 'a t = {
  front : int Atomic.t;
  back : int Atomic.t;
  slots : 'a array Atomic.t; (* length a power of two; set by the owner *)
  dummy : 'a;
  least : int; (* lower bound of the capacity *)
  mutable swept : int; (* only the owner uses it *)
}
[@@prophecy]

let create ~capacity ~dummy =
  let first = Slots.make ~least:capacity dummy in
  let least = Array.length first in
  let front = Atomic.make_contended 0 in
  let back = Atomic.make_contended 0 in
  let slots = Atomic.make first in
  { front; back; slots; dummy; least; swept = 0 }

let capacity t =
  let slots = Atomic.get t.slots in
  Array.length slots

let size t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then 0 else b - f

let is_empty t = size t = 0

(* The caller knows that [front] has reached [f]. *)
let sweep_to t slots f =
  if t.swept < f then begin
    Slots.clear slots t.dummy t.swept f;
    t.swept <- f
  end

let sweep t =
  let f = Atomic.get t.front in
  let slots = Atomic.get t.slots in
  sweep_to t slots f

(* Replaces [slots], which the owner has swept to [f], and moves items [f,
   b). *)
let resize t slots f b capacity =
  let resized = Slots.resize slots t.dummy f b capacity in
  Atomic.set t.slots resized

let push t v =
  let b = Atomic.get t.back in
  let f = Atomic.get t.front in
  let slots = Atomic.get t.slots in
  sweep_to t slots f;
  let capacity = Array.length slots in
  if b - f < capacity then Slots.set slots b v
  else begin
    resize t slots f b (2 * capacity);
    let grown = Atomic.get t.slots in
    Slots.set grown b v
  end;
  Atomic.set t.back (b + 1)

(* The capacity halves below a quarter and doubles when the deque is full. So
   at least a quarter of the capacity is pushed or taken before the next
   resizing, and these operations pay for this resizing. *)
let shrink_if_sparse t slots f b =
  let capacity = Array.length slots in
  if 4 * (b - f) < capacity then
    if t.least < capacity then resize t slots f b (capacity / 2)

let pop t =
  let b = Atomic.get t.back - 1 in
  Atomic.set t.back b;
  let f = Atomic.get t.front in
  let slots = Atomic.get t.slots in
  sweep_to t slots f;
  if b < f then begin
    Atomic.set t.back f;
    shrink_if_sparse t slots f f;
    None
  end
  else
    let v = Slots.get slots b in
    if f < b then begin
      Slots.set slots b t.dummy;
      shrink_if_sparse t slots f b;
      Some v
    end
    else
      (* Thieves may try to take the last item too. Whether the owner wins or
         loses, [front] is now [f + 1]. *)
      (let won =
         (Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id])
       in
       Atomic.set t.back (f + 1);
       sweep_to t slots (f + 1);
       shrink_if_sparse t slots (f + 1) (f + 1);
       if won then Some v else None) [@fresh id]

let rec steal t =
  (let f = Atomic.get t.front in
   let b = Atomic.get t.back in
   if b <= f then None
   else
     let slots = Atomic.get t.slots in
     let v = Slots.get slots f in
     if Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id] then Some v
     else steal t)
  [@fresh id]
