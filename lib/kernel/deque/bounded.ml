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
     dummy included. It discards it. *)

type 'a t = {
  front : int Atomic.t;
  back : int Atomic.t;
  slots : 'a array;
  mask : int; (* capacity - 1, the capacity being a power of two *)
  dummy : 'a;
  mutable swept : int; (* the owner's *)
}

let rec power_of_two_from n least =
  if least <= n then n else power_of_two_from (2 * n) least

let create ~capacity ~dummy =
  let capacity = power_of_two_from 1 capacity in
  let front = Atomic.make_contended 0 in
  let back = Atomic.make_contended 0 in
  let slots = Array.make capacity dummy in
  { front; back; slots; mask = capacity - 1; dummy; swept = 0 }

let capacity t = t.mask + 1
let get t i = Array.unsafe_get t.slots (i land t.mask)
let set t i v = Array.unsafe_set t.slots (i land t.mask) v

let size t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then 0 else b - f

let is_empty t = size t = 0

let rec clear t i limit =
  if i < limit then begin
    set t i t.dummy;
    clear t (i + 1) limit
  end

(* [f] is a value of [front] that the owner knows to be reached. *)
let sweep_to t f =
  if t.swept < f then begin
    clear t t.swept f;
    t.swept <- f
  end

let sweep t =
  let f = Atomic.get t.front in
  sweep_to t f

let push t v =
  let b = Atomic.get t.back in
  let f = Atomic.get t.front in
  sweep_to t f;
  if b - f <= t.mask then begin
    set t b v;
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
    let v = get t b in
    if f < b then begin
      set t b t.dummy;
      Some v
    end
    else begin
      (* The last item: thieves may be after it too. Won or lost, [front] is
         now [f + 1]. *)
      let won = Atomic.compare_and_set t.front f (f + 1) in
      Atomic.set t.back (f + 1);
      sweep_to t (f + 1);
      if won then Some v else None
    end

let rec steal t =
  let f = Atomic.get t.front in
  let b = Atomic.get t.back in
  if b <= f then None
  else
    let v = get t f in
    if Atomic.compare_and_set t.front f (f + 1) then Some v else steal t
