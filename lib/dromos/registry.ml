(* [slots] up to [used] are filled; a reader that finds an old array in
   [slots], or an old [used], misses what came just now. *)
type 'a t = {
  mutable slots : 'a Weak.t;
  mutable used : int;
  mutable added : int;
}

let nothing () = Weak.create 0
let create () = { slots = nothing (); used = 0; added = 0 }
let least = 16

(* Blits, since [Weak.get] would have the collector keep what it returns. *)
let rec sweep slots used into i kept =
  if i = used then kept
  else if Weak.check slots i then begin
    Weak.blit slots i into kept 1;
    sweep slots used into (i + 1) (kept + 1)
  end
  else sweep slots used into (i + 1) kept

let rec count slots used i n =
  if i = used then n
  else count slots used (i + 1) (if Weak.check slots i then n + 1 else n)

let make_room t =
  let live = count t.slots t.used 0 0 in
  let slots = Weak.create (Int.max least (2 * (live + 1))) in
  let kept = sweep t.slots t.used slots 0 0 in
  t.slots <- slots;
  t.used <- kept

let add t x =
  if t.used = Weak.length t.slots then make_room t;
  Weak.set t.slots t.used (Some x);
  t.used <- t.used + 1;
  t.added <- t.added + 1

let added t = t.added

let fold f acc t =
  let slots = t.slots in
  let used = Int.min t.used (Weak.length slots) in
  let rec go acc i =
    if i = used then acc
    else
      match Weak.get slots i with
      | None -> go acc (i + 1)
      | Some x -> go (f acc x) (i + 1)
  in
  go acc 0
