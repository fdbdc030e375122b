(* The hashes of the shingles, sorted, each once: two texts are compared by a
   merge. *)
type t = int array

let words_of_shingle = 4
let size = Array.length

(* The words of a text, as their hashes. *)
let hashes text =
  let buffer = Bytes.of_string text in
  let vocabulary = Corpus.Vocab.create 64 in
  let numbers = Corpus.Ints.empty () in
  let (_ : int) =
    Corpus.Text.words buffer 0 (Bytes.length buffer) vocabulary numbers
  in
  Array.init (Corpus.Ints.length numbers) (fun i ->
      Corpus.Vocab.hash vocabulary (Corpus.Ints.get numbers i))

let each_once sorted =
  let n = Array.length sorted in
  let kept = ref 0 in
  for i = 0 to n - 1 do
    if i = 0 || sorted.(i) <> sorted.(i - 1) then begin
      sorted.(!kept) <- sorted.(i);
      incr kept
    end
  done;
  Array.sub sorted 0 !kept

let shingles text =
  let hashes = hashes text in
  let n = Array.length hashes - words_of_shingle + 1 in
  let shingle i =
    let h = ref 0 in
    for k = i to i + words_of_shingle - 1 do
      h := !h * 0x9E3779B97F4A7C1 lxor hashes.(k)
    done;
    !h land max_int
  in
  let all = Array.init (Int.max 0 n) shingle in
  Array.sort Int.compare all;
  each_once all

let common (a : t) (b : t) =
  let m = Array.length a and n = Array.length b in
  let i = ref 0 and j = ref 0 and both = ref 0 in
  while !i < m && !j < n do
    let x = a.(!i) and y = b.(!j) in
    if x = y then incr both;
    if x <= y then incr i;
    if y <= x then incr j
  done;
  let either = m + n - !both in
  if either = 0 then 0. else float_of_int !both /. float_of_int either

let row texts i ~at_least =
  let found = ref [] in
  for j = i - 1 downto 0 do
    let common = common texts.(i) texts.(j) in
    if common > 0. && common >= at_least then found := (j, common) :: !found
  done;
  !found

(* {1 Passages} *)

let is_letter c = Char.lowercase_ascii c <> Char.uppercase_ascii c || c = '_'

(* The number of times the word stands in the line, in small letters, as a whole
   word. *)
let times word line =
  let n = String.length word and length = String.length line in
  let ends i = i >= length || not (is_letter line.[i]) in
  let rec count i found =
    if i + n > length then found
    else if
      ends (i + n)
      && (i = 0 || not (is_letter line.[i - 1]))
      && String.sub line i n = word
    then count (i + n) (found + 1)
    else count (i + 1) found
  in
  if n = 0 then 0 else count 0 0

let passage text words =
  let lines = Array.of_list (String.split_on_char '\n' text) in
  let worth line =
    let line = String.lowercase_ascii line in
    (* A line with all the words is better than a line with many occurrences of
       a single word. *)
    List.fold_left (fun sum w -> sum + Int.min 3 (times w line)) 0 words
  in
  let worths = Array.map worth lines in
  let of_three i =
    let at k = if k < Array.length worths then worths.(k) else 0 in
    at i + at (i + 1) + at (i + 2)
  in
  let best = ref 0 in
  Array.iteri (fun i _ -> if of_three i > of_three !best then best := i) lines;
  let last = Int.min (Array.length lines) (!best + 3) in
  String.concat "\n" (Array.to_list (Array.sub lines !best (last - !best)))
