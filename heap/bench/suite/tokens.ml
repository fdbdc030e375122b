(* Finds the starts of words, and then the words. The lab's tokens (bench/plain) stores
   the places of the words in two arrays of integers; here each word becomes a string,
   since the suite measures allocation. *)

open Bench_plain

let words fork text =
  let (module F : Program.Fork) = fork in
  let starts = Pack.indices fork (String.length text) (Text.starts text) in
  F.Array.map (Word.at text) starts

let program : Program.t =
  {
    name = "tokens";
    about = "the words of a text, in order, each a string";
    entangled = false;
    allocates = true;
    size_is = "bytes";
    size = 29_000_000;
    tiny = 20_000;
    prepare =
      (fun n ->
        let text = Text.generate n in
        fun fork () ->
          let words = words fork text in
          fun () -> Checksum.ints (Array.map Word.checksum words));
  }
