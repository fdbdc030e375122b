(* Indices grow without bound; item number [i] lives in slot [i mod capacity].
   Indices below [front] were taken at the front; the deque's content is
   [front, back); [back] is written by the owner alone.

   Slots are plain memory, written by the owner alone. Let [swept] be the index
   below which all slots of taken items have been cleared (owner's, and
   [swept <= front]). Every slot outside [swept, back) holds the dummy, and
   [back - swept <= capacity].

   Why thieves may read slots without synchronization. A thief reads [front] as
   [f], then [back] > f, then the slot of [f], and keeps what it read only if
   it then moves [front] from [f] to [f + 1].
   - Having read [back] > f it sees the owner's write of item [f], which comes
     before the write of [back].
   - The owner writes that slot again only to clear it in [sweep], or to reuse
     it for item [f + capacity] which it does after the sweep; and it sweeps
     only indices below a [front] it has read.
   - Popping the last item goes through [front] like a theft. Popping item
     [b] > [front] needs no such thing: a thief that wants it must read [front]
     = [b] later than the owner read [front] < [b], so it reads [back] after
     the owner's claim, and finds either nothing or a new item [b].
   - If the thief wins, [front] was still [f] at that moment, so the owner's
     read of a larger [front], and the clearing after it, come later than the
     thief's read: a winner never sees a cleared or reused slot.
   - If the thief loses it may have read anything the slot ever held, the
     dummy included. It discards it.

   Attributes are ghost code: the proof ([proofs/deque]) uses them to know, for
   each index, which attempt is going to move [front] from it. The compiler
   ignores them. *)

type 'a t = {
  front : int Atomic.t;
  back : int Atomic.t;
  slots : 'a array; (* length a power of two *)
  dummy : 'a;
  mutable swept : int; (* the owner's *)
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

(* [f] is a value of [front] that the owner knows to be reached. *)
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
  (* Claims item [b] before looking at [front]: a thief that does not see the
     claim has already been seen by us, both being sequentially consistent. *)
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
      (* The last item: thieves may be after it too. Won or lost, [front] is
         now [f + 1]. *)
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
