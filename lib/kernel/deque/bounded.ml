(* Indices grow without bound; item number [i] lives in slot [i mod
   capacity]. Items with an index below [front] were taken at the front. The
   content of the deque is [front, back). The owner alone writes [back].

   Slots are plain memory, and the owner alone writes them. [swept] is an
   index up to [front], known to the owner alone: the owner has cleared the
   slots of all taken items below [swept]. Every slot outside [swept, back)
   holds the dummy, and [back - swept <= capacity].

   Why thieves may read slots without synchronization: a thief reads [front]
   as [f], then [back] > f, then the slot of [f]. The thief keeps the value
   only if it then moves [front] from [f] to [f + 1].
   - A thief that has read [back] > f sees the owner's write of item [f],
     because the owner writes the item before [back].
   - The owner writes the slot again in two cases only: to clear the slot in
     [sweep], or to store item [f + capacity], after the sweep. The owner
     sweeps only indices below a [front] that the owner has read.
   - To pop the last item, the owner moves [front] by compare-and-set, like a
     thief. To pop an item [b] > [front], the owner needs no compare-and-set.
     A thief of item [b] must read [front] = [b] later than the owner read
     [front] < [b]. Therefore the thief reads [back] after the owner's claim,
     and finds no item or a new item [b].
   - If the thief wins, [front] was still [f] at that moment. The owner read
     a larger [front] after that moment, and cleared the slot later still.
     Therefore a thief that wins has read the slot before the owner cleared
     or reused the slot.
   - A thief that loses may have read any value that the slot ever held, or
     the dummy. The thief discards the value.

   Attributes are ghost code, and the compiler ignores them. The proof
   ([proofs/deque]) uses them to know, for each index, which attempt is going
   to move [front] from the index. *)

type 'a t = {
  front : int Atomic.t;
  back : int Atomic.t;
  slots : 'a array; (* length a power of two *)
  dummy : 'a;
  mutable swept : int; (* only the owner uses it *)
}
[@@prophecy]

let create ~capacity ~dummy =
  let front = Atomic.make_contended 0 in
  let back = Atomic.make_contended 0 in
  let slots = Slots.make ~least:capacity dummy in
  { front; back; slots; dummy; swept = 0 }

let capacity t = Array.length t.slots

let size t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then 0 else b - f

let is_empty t = size t = 0

(* The caller knows that [front] has reached [f]. *)
let sweep_to t f =
  if t.swept < f then begin
    Slots.clear t.slots t.dummy t.swept f;
    t.swept <- f
  end

let sweep t =
  let f = Atomic.get t.front in
  sweep_to t f

let push t v =
  let b = Atomic.get t.back in
  let f = Atomic.get t.front in
  sweep_to t f;
  if b - f < capacity t then begin
    Slots.set t.slots b v;
    Atomic.set t.back (b + 1);
    true
  end
  else false

let pop t =
  let b = Atomic.get t.back - 1 in
  (* The owner claims item [b] before it reads [front], and both accesses are
     sequentially consistent. Therefore either a thief sees the claim in
     [back], or the owner reads [front] after the thief has read [front]. *)
  Atomic.set t.back b;
  let f = Atomic.get t.front in
  sweep_to t f;
  if b < f then begin
    Atomic.set t.back f;
    None
  end
  else
    let v = Slots.get t.slots b in
    if f < b then begin
      Slots.set t.slots b t.dummy;
      Some v
    end
    else
      (* Thieves may try to take the last item too. Whether the owner wins or
         loses, [front] is now [f + 1]. *)
      (let won =
         (Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id])
       in
       Atomic.set t.back (f + 1);
       sweep_to t (f + 1);
       if won then Some v else None) [@fresh id]

let rec steal t =
  (let f = Atomic.get t.front in
   let b = Atomic.get t.back in
   if b <= f then None
   else
     let v = Slots.get t.slots f in
     if Atomic.compare_and_set t.front f (f + 1) [@resolve t, f, id] then Some v
     else steal t)
  [@fresh id]
