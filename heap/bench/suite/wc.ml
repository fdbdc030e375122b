(* Each character gives a triple (lines, words, bytes), and the triples are added. A
   word starts at a letter without a letter before. The lab's wc (bench/plain) counts in
   a loop over a piece of the text; here each character makes a triple, since the suite
   measures allocation. *)

open Bench_plain

let add (l1, w1, b1) (l2, w2, b2) = (l1 + l2, w1 + w2, b1 + b2)

let job (module F : Program.Fork) text () =
  let at i =
    ( (if text.[i] = '\n' then 1 else 0),
      (if Text.starts text i then 1 else 0),
      1 )
  in
  let lines, words, bytes =
    F.map_reduce 0 (String.length text) ~map:at ~combine:add ~init:(0, 0, 0)
  in
  fun () -> Checksum.ints [| lines; words; bytes |]

let program : Program.t =
  {
    name = "wc";
    about = "lines, words and bytes of a text, by adding up triples";
    entangled = false;
    allocates = true;
    size_is = "bytes";
    size = 100_000_000;
    tiny = 10_000;
    prepare =
      (fun n ->
        let text = Text.generate n in
        fun fork -> job fork text);
  }
