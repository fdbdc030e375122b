(* Programs on the words of a text: two passes over pieces. *)

open Bench_plain
open Sched

let pieces n cutoff = (n + cutoff - 1) / cutoff

(* Counts the words of each piece, sums the counts, and writes each piece's
   words at the piece's place. *)
let tokens ~n ~cutoff =
  let s = Text.generate n in
  fun ctx ->
    let k = pieces n cutoff in
    let at = Array.make (k + 1) 0 in
    let lo p = p * cutoff and hi p = min n ((p + 1) * cutoff) in
    for_ ctx ~chunk:1 0 k (fun p ->
        at.(p + 1) <- (Text.counts s (lo p) (hi p)).words);
    for p = 1 to k do
      at.(p) <- at.(p) + at.(p - 1)
    done;
    let t = Tokens.make at.(k) in
    for_ ctx ~chunk:1 0 k (fun p -> Tokens.fill t s (lo p) (hi p) at.(p));
    fun () -> Checksum.ints t.first + Checksum.ints t.past

let parts = 64

(* The words of one piece, sorted into [parts] by the low bits of their hashes:
   numbers and hashes, and where each part starts. *)
let divide hashes lo hi =
  let start = Array.make (parts + 1) 0 in
  for i = lo to hi - 1 do
    let p = 1 + (hashes.(i) land (parts - 1)) in
    start.(p) <- start.(p) + 1
  done;
  for p = 1 to parts do
    start.(p) <- start.(p) + start.(p - 1)
  done;
  let next = Array.sub start 0 parts in
  let order = Array.make (hi - lo) 0 in
  for i = lo to hi - 1 do
    let p = hashes.(i) land (parts - 1) in
    order.(next.(p)) <- i;
    next.(p) <- next.(p) + 1
  done;
  (start, order)

let collect s t hashes divided p =
  let size (start, _) = start.(p + 1) - start.(p) in
  let total = Array.fold_left (fun sum d -> sum + size d) 0 divided in
  let set = Tokens.Set.create total in
  let add (start, order) =
    for j = start.(p) to start.(p + 1) - 1 do
      Tokens.Set.add s t set hashes.(order.(j)) order.(j)
    done
  in
  Array.iter add divided;
  set

(* Distinct words: hash and divide each piece, then gather each part. *)
let dedup ~n ~cutoff =
  let s = Text.generate n in
  let t = Tokens.all s in
  let words = Array.length t.first in
  fun ctx ->
    let hashes = Array.make words 0 in
    let k = pieces words cutoff in
    let divided = Array.make k ([||], [||]) in
    for_ ctx ~chunk:1 0 k (fun c ->
        let lo = c * cutoff and hi = min words ((c + 1) * cutoff) in
        for i = lo to hi - 1 do
          hashes.(i) <- Tokens.hash s t i
        done;
        divided.(c) <- divide hashes lo hi);
    let sets = Array.make parts (Tokens.Set.create 1) in
    for_ ctx ~chunk:1 0 parts (fun p ->
        sets.(p) <- collect s t hashes divided p);
    let add f = Array.fold_left (fun sum set -> sum + f set) 0 sets in
    let distinct = add Tokens.Set.length and sum = add Tokens.Set.sum in
    fun () -> Checksum.ints [| distinct; sum land max_int |]

let jobs : (string * (n:int -> cutoff:int -> ctx -> unit -> int)) list =
  [ ("tokens", tokens); ("dedup", dedup) ]
