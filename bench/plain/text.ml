let word_char c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')

(* The rank of the word is the quotient of two uniform draws. Its distribution
   falls off as the inverse square: few words are frequent, and new words keep
   coming. *)
let word buffer i =
  let u = 1 + Rng.below 10_000 i and v = Rng.below 1_000_000 (i + 1) in
  let rank = v / u in
  let h = Rng.hash rank in
  for k = 0 to 1 + (rank mod 11) do
    let letter = (h lsr (5 * k)) land 31 mod 26 in
    Buffer.add_char buffer (Char.chr (Char.code 'a' + letter))
  done

let generate n =
  let buffer = Buffer.create (n + 16) in
  let i = ref 0 in
  while Buffer.length buffer < n do
    word buffer !i;
    Buffer.add_char buffer (if !i mod 10 = 9 then '\n' else ' ');
    incr i
  done;
  Buffer.sub buffer 0 n

let starts s i =
  word_char (String.unsafe_get s i)
  && (i = 0 || not (word_char (String.unsafe_get s (i - 1))))

type counts = { words : int; lines : int }

let counts s lo hi =
  let words = ref 0 and lines = ref 0 in
  let inside = ref (lo > 0 && word_char s.[lo - 1]) in
  for i = lo to hi - 1 do
    let c = String.unsafe_get s i in
    let w = word_char c in
    if w && not !inside then incr words;
    if c = '\n' then incr lines;
    inside := w
  done;
  { words = !words; lines = !lines }

let join a b = { words = a.words + b.words; lines = a.lines + b.lines }

let word_end s i =
  let j = ref i in
  while !j < String.length s && word_char (String.unsafe_get s !j) do
    incr j
  done;
  !j
