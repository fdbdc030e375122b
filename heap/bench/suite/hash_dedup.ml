(* Open addressing with linear probing; a compare-and-set fills a slot for good. Tasks
   compare their words with words that concurrent tasks have just made: the program is
   entangled. The lab's dedup (bench/plain) divides the words by their hashes, so that each
   set has one task and no word becomes a string. *)

open Bench_plain

let free = ""

let rec power_of_two_above n k =
  if k > n then k else power_of_two_above n (2 * k)

let add slots word =
  let mask = Array.length slots - 1 in
  let rec probe i =
    let slot = slots.(i land mask) in
    let there = Atomic.get slot in
    if there == free then (
      if not (Atomic.compare_and_set slot free word) then probe i)
    else if not (String.equal there word) then probe (i + 1)
  in
  probe (Hashtbl.hash word)

let distinct (module F : Program.Fork) text starts =
  let n = Array.length starts in
  let slots =
    F.Array.init (power_of_two_above (2 * n) 16) (fun _ -> Atomic.make free)
  in
  F.for_ 0 n (fun k -> add slots (Word.at text starts.(k)));
  F.Array.filter (fun word -> word != free) (F.Array.map Atomic.get slots)

let program : Program.t =
  {
    name = "hash-dedup";
    about = "the distinct words of a text, by a lock-free hash set";
    entangled = true;
    allocates = true;
    size_is = "bytes";
    size = 14_000_000;
    tiny = 20_000;
    prepare =
      (fun n ->
        let text = Text.generate n in
        let starts = Pack.indices Forks.sequential n (Text.starts text) in
        fun fork () ->
          let words = distinct fork text starts in
          fun () ->
            let add sum word = (sum + Word.checksum word) land max_int in
            let sum = Array.fold_left add 0 words in
            Checksum.ints [| Array.length words; sum |]);
  }
