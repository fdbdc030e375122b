(* The capacity is a power of two. Free places hold [none], so that the ring
   keeps no removed item alive. *)
type 'a t = {
  none : 'a;
  mutable items : 'a array;
  mutable start : int;  (** the place of the first item *)
  mutable length : int;
}

let create ~none = { none; items = [| none |]; start = 0; length = 0 }
let length t = t.length
let place t i = (t.start + i) land (Array.length t.items - 1)
let get t i = t.items.(place t i)
let set t i x = t.items.(place t i) <- x

let resize t capacity =
  let items = Array.make capacity t.none in
  for i = 0 to t.length - 1 do
    items.(i) <- get t i
  done;
  t.items <- items;
  t.start <- 0

(* Small rings do not shrink. *)
let shrink t =
  let capacity = Array.length t.items in
  if capacity > 64 && t.length * 4 < capacity then resize t (capacity / 2)

let add t x =
  if t.length = Array.length t.items then resize t (2 * t.length);
  set t t.length x;
  t.length <- t.length + 1

let first t = if t.length = 0 then t.none else get t 0
let last t = if t.length = 0 then t.none else get t (t.length - 1)

let drop_first t n =
  for i = 0 to n - 1 do
    set t i t.none
  done;
  t.start <- place t n;
  t.length <- t.length - n;
  shrink t

let take_first t =
  let x = first t in
  if t.length > 0 then drop_first t 1;
  x

let drop_last t =
  if t.length > 0 then begin
    set t (t.length - 1) t.none;
    t.length <- t.length - 1;
    shrink t
  end

let to_list t = List.init t.length (get t)

(* Takes [taken] of the first [offered] items out: the items that stay,
   [kept], last first, move up to the items that were not offered. *)
let take_out t ~offered kept taken =
  if taken > 0 then begin
    List.iteri (fun i x -> set t (offered - 1 - i) x) kept;
    drop_first t taken
  end

let offer t wanted ~enough =
  let rec go i kept taken =
    if i = t.length then (i, kept, taken)
    else
      let x = get t i in
      let wants = wanted x in
      let kept = if wants then kept else x :: kept in
      let taken = if wants then x :: taken else taken in
      if enough () then (i + 1, kept, taken) else go (i + 1) kept taken
  in
  let offered, kept, taken = go 0 [] [] in
  take_out t ~offered kept (List.length taken);
  List.rev taken
