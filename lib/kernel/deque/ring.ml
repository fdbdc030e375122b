(* The content is [front, back), with item [i] in slot [i mod capacity]. All
   other slots hold the dummy. The two indices are the first words of an
   array, and the other words of the array are padding: the indices change
   all the time, so the indices of two rings must not share a cache line. *)
type 'a t = {
  ends : int array; (* front, back, padding *)
  mutable slots : 'a array; (* length a power of two *)
  dummy : 'a;
  least : int; (* lower bound of the capacity *)
}

let padded = 16 (* words, 128 bytes: a cache line and its neighbour *)

let create ~capacity ~dummy =
  let ends = Array.make padded 0 in
  let slots = Slots.make ~least:capacity dummy in
  let least = Array.length slots in
  { ends; slots; dummy; least }

let front t = Array.unsafe_get t.ends 0
let back t = Array.unsafe_get t.ends 1
let set_front t i = Array.unsafe_set t.ends 0 i
let set_back t i = Array.unsafe_set t.ends 1 i

let size t =
  let f = front t in
  let b = back t in
  b - f

let is_empty t = size t = 0

let resize t capacity =
  let f = front t in
  let b = back t in
  t.slots <- Slots.resize t.slots t.dummy f b capacity

let push t v =
  let capacity = Array.length t.slots in
  if size t = capacity then resize t (2 * capacity);
  let b = back t in
  Slots.set t.slots b v;
  set_back t (b + 1)

let shrink_if_sparse t =
  let capacity = Array.length t.slots in
  if 4 * size t < capacity then
    if t.least < capacity then resize t (capacity / 2)

let pop t =
  if is_empty t then None
  else
    let b = back t - 1 in
    let v = Slots.get t.slots b in
    Slots.set t.slots b t.dummy;
    set_back t b;
    shrink_if_sparse t;
    Some v

let oldest t =
  if is_empty t then None
  else
    let f = front t in
    Some (Slots.get t.slots f)

let drop t =
  let f = front t in
  Slots.set t.slots f t.dummy;
  set_front t (f + 1);
  shrink_if_sparse t

let take t =
  let found = oldest t in
  match found with
  | None -> None
  | Some _ ->
      drop t;
      found
