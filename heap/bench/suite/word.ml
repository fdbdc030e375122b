open Bench_plain

let at text i = String.sub text i (Text.word_end text i - i)

let checksum word =
  String.fold_left
    (fun sum c -> ((sum * 31) + Char.code c) land max_int)
    17 word
