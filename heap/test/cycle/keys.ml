(* Data lives as long as its key, also for keys without fields: marking such a key traces
   nothing. The model found the fault: no domain looked at the
   ephemerons of such keys again. *)

module Pair = Ephemeron.K1

let now () = Option.get (Dromos_heap.stats ())
let slots = Array.init 64 (fun _ -> Atomic.make [])
let share k = Atomic.set slots.(k land 63) (List.init 500 (fun i -> i + k))

let beside_sharing f =
  let stop = Atomic.make false in
  let rec other k =
    if not (Atomic.get stop) then begin
      share k;
      other (k + 1)
    end
  in
  let other = Domain.spawn (fun () -> other 0) in
  f ();
  Atomic.set stop true;
  Domain.join other

let rec share_until f k =
  share k;
  if not (f k) then share_until f (k + 1)

let cycles_end n =
  let cycles = (now ()).cycles in
  fun _ -> (now ()).cycles >= cycles + n

(* {1 The data of each pair is the key of the next} *)

let chain n =
  let names = Array.init (n + 1) string_of_int in
  let pair i = Pair.make names.(i) names.(i + 1) in
  (names.(0), Array.init n pair)

let rec length pairs i step key n =
  if i < 0 || i >= Array.length pairs then n
  else
    match Pair.query pairs.(i) key with
    | None -> n
    | Some key -> length pairs (i + step) step key (n + 1)

let reversed (first, pairs) =
  let n = Array.length pairs in
  (first, Array.init n (fun i -> pairs.(n - 1 - i)))

let there = Atomic.make None
let back = Atomic.make None

let chained () =
  let n = 500 in
  Atomic.set there (Some (chain n));
  Atomic.set back (Some (reversed (chain n)));
  share_until (cycles_end 2) 0;
  let first, pairs = Option.get (Atomic.get there) in
  Check.must "a chain" (length pairs 0 1 first 0 = n);
  let first, pairs = Option.get (Atomic.get back) in
  Check.must "a chain from its end" (length pairs (n - 1) (-1) first 0 = n)

(* {1 Keys that only weak pointers reach}, read during a cycle *)

type table = { keys : string Weak.t; pairs : (string, int ref) Pair.t array }

let table n =
  let names = Array.init n string_of_int in
  let keys = Weak.create n in
  Array.iteri (fun i key -> Weak.set keys i (Some key)) names;
  { keys; pairs = Array.mapi (fun i key -> Pair.make key (ref i)) names }

let check t i key =
  let data = Option.map ( ! ) (Pair.query t.pairs.(i) key) in
  Check.must "the data of a key that is kept" (data = Some i)

let read t =
  let kept = Array.map (fun _ -> None) t.pairs in
  let read i = kept.(i) <- Weak.get t.keys i in
  let ended = cycles_end 2 in
  let read_some k =
    if k land 255 = 0 then
      for i = k to min (k + 16) (Array.length kept) - 1 do
        read i
      done;
    ended k
  in
  share_until read_some 0;
  Array.iteri (fun i -> Option.iter (check t i)) kept

let place = Atomic.make None

let seldom_read () =
  Atomic.set place (Some (table 100_000));
  read (Option.get (Atomic.get place))

let () =
  Check.case "keys that data holds" (fun () -> beside_sharing chained);
  Check.case "keys that are read during a cycle" (fun () ->
      beside_sharing seldom_read)
