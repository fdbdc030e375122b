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

let opening = "\u{FDD0}"
let closing = "\u{FDD1}"

let is_at mark text i =
  i + 3 <= String.length text && String.sub text i 3 = mark

(* The line without marks, and its marked words, in small letters. A word that
   is marked across the end of a line counts for its first line. *)
let unmarked line =
  let plain = Buffer.create (String.length line) in
  let rec go i start found =
    let end_ () =
      let from = Option.get start in
      String.lowercase_ascii
        (Buffer.sub plain from (Buffer.length plain - from))
      :: found
    in
    if i >= String.length line then if start = None then found else end_ ()
    else if is_at opening line i then
      go (i + 3) (Some (Buffer.length plain)) found
    else if is_at closing line i then
      go (i + 3) None (if start = None then found else end_ ())
    else begin
      Buffer.add_char plain line.[i];
      go (i + 1) start found
    end
  in
  let words = go 0 None [] in
  (Buffer.contents plain, words)

let passage marked =
  let lines =
    Array.of_list (List.map unmarked (String.split_on_char '\n' marked))
  in
  let words k = if k < Array.length lines then snd lines.(k) else [] in
  (* Three lines with all the words are better than three lines with many
     occurrences of a single word. *)
  let worth i =
    match words i @ words (i + 1) @ words (i + 2) with
    | [] -> (0, 0)
    | all -> (List.length (List.sort_uniq String.compare all), List.length all)
  in
  let best = ref 0 and most = ref (0, 0) in
  Array.iteri
    (fun i _ ->
      let worth = worth i in
      if compare worth !most > 0 then begin
        best := i;
        most := worth
      end)
    lines;
  let last = Int.min (Array.length lines) (!best + 3) in
  String.concat "\n" (List.init (last - !best) (fun k -> fst lines.(!best + k)))
