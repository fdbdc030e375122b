(* As in [Bounded], whose comment explains indices, [swept], and why slots may
   be read without synchronization. What the changing array adds:

   - The owner alone replaces the array, by one that holds the same items
     [front, back) under the same indices, and never writes the old one again.
   - A thief reads the array after [back], hence after it has seen that item
     [f] is there. If it goes on to win item [f], the item was in the deque at
     the moment it read the array, so that array holds it, then and for ever
     if it is replaced later.
   - To that end a resizing never happens between the claim of the last item
     and its compare-and-set. *)

type 'a t = {
  front : int Atomic.t;
  back : int Atomic.t;
  slots : 'a array Atomic.t; (* length a power of two; set by the owner *)
  dummy : 'a;
  least : int; (* capacity never shrinks below *)
  mutable swept : int; (* the owner's *)
}

let rec power_of_two_from n least =
  if least <= n then n else power_of_two_from (2 * n) least

let create ~capacity ~dummy =
  let least = power_of_two_from 1 capacity in
  let front = Atomic.make_contended 0 in
  let back = Atomic.make_contended 0 in
  let slots = Atomic.make (Array.make least dummy) in
  { front; back; slots; dummy; least; swept = 0 }

let get slots i = Array.unsafe_get slots (i land (Array.length slots - 1))
let set slots i v = Array.unsafe_set slots (i land (Array.length slots - 1)) v

let capacity t =
  let slots = Atomic.get t.slots in
  Array.length slots

let size t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then 0 else b - f

let is_empty t = size t = 0

let rec clear slots dummy i limit =
  if i < limit then begin
    set slots i dummy;
    clear slots dummy (i + 1) limit
  end

(* [f] is a value of [front] that the owner knows to be reached. *)
let sweep_to t slots f =
  if t.swept < f then begin
    clear slots t.dummy t.swept f;
    t.swept <- f
  end

let sweep t =
  let f = Atomic.get t.front in
  let slots = Atomic.get t.slots in
  sweep_to t slots f

let rec copy source target i limit =
  if i < limit then begin
    let v = get source i in
    set target i v;
    copy source target (i + 1) limit
  end

(* Replaces [slots], which has been swept to [f], moving items [f, b). *)
let resize t slots f b capacity =
  let resized = Array.make capacity t.dummy in
  copy slots resized f b;
  Atomic.set t.slots resized

let push t v =
  let b = Atomic.get t.back in
  let f = Atomic.get t.front in
  let slots = Atomic.get t.slots in
  sweep_to t slots f;
  let capacity = Array.length slots in
  if b - f < capacity then set slots b v
  else begin
    resize t slots f b (2 * capacity);
    let grown = Atomic.get t.slots in
    set grown b v
  end;
  Atomic.set t.back (b + 1)

(* Halving below a quarter and doubling when full leave at least a quarter of
   the capacity to push or take before the next resizing pays for this one. *)
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
    let v = get slots b in
    if f < b then begin
      set slots b t.dummy;
      shrink_if_sparse t slots f b;
      Some v
    end
    else begin
      (* The last item: thieves may be after it too. Won or lost, [front] is
         now [f + 1]. *)
      let won = Atomic.compare_and_set t.front f (f + 1) in
      Atomic.set t.back (f + 1);
      sweep_to t slots (f + 1);
      shrink_if_sparse t slots (f + 1) (f + 1);
      if won then Some v else None
    end

let rec steal t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then None
  else
    let slots = Atomic.get t.slots in
    let v = get slots f in
    if Atomic.compare_and_set t.front f (f + 1) then Some v else steal t
