(* The number of a word is its index in its partition, plus the sizes of the
   partitions before. *)
type t = { partitions : Vocab.t array; bases : int array; size : int }

let parts = 64
let part hash = hash land (parts - 1)
let gap = 0x7fff_ffff
let size t = t.size

let word t id =
  (* The last partition whose base is not above [id]; an empty partition has the
     base of the next partition. *)
  let rec search lo hi =
    if hi - lo <= 1 then lo
    else
      let mid = (lo + hi) / 2 in
      if t.bases.(mid) <= id then search mid hi else search lo mid
  in
  let p = search 0 (Array.length t.bases) in
  Vocab.word t.partitions.(p) (id - t.bases.(p))

let exclusive_sums a =
  let sum = ref 0 in
  let sums =
    Array.map
      (fun n ->
        let before = !sum in
        sum := before + n;
        before)
      a
  in
  (sums, !sum)

let of_partitions partitions =
  let bases, size = exclusive_sums (Array.map Vocab.size partitions) in
  { partitions; bases; size }

(* The words of a vocabulary in the order of their partitions: the words of
   partition [p] are [order.(starts.(p)) .. order.(starts.(p + 1) - 1)]. *)
let by_partition vocab =
  let n = Vocab.size vocab in
  let starts = Array.make (parts + 1) 0 in
  for id = 0 to n - 1 do
    let p = part (Vocab.hash vocab id) in
    starts.(p + 1) <- starts.(p + 1) + 1
  done;
  for p = 1 to parts do
    starts.(p) <- starts.(p) + starts.(p - 1)
  done;
  let next = Array.sub starts 0 parts in
  let order = Array.make n 0 in
  for id = 0 to n - 1 do
    let p = part (Vocab.hash vocab id) in
    order.(next.(p)) <- id;
    next.(p) <- next.(p) + 1
  done;
  (order, starts)

(* The number of each word of each piece: [numbers.(piece).(local)] is the
   word's index in its partition. Only the fiber that merges a partition writes
   the cells of the partition's words. *)
let merge (loops : Loops.t) (pieces : Scan.piece array) =
  let orders =
    Loops.map loops (fun (p : Scan.piece) -> by_partition p.vocab) pieces
  in
  let numbers =
    Array.map (fun (p : Scan.piece) -> Array.make (Vocab.size p.vocab) 0) pieces
  in
  let merge_partition p =
    Interrupt.check ();
    let all = Vocab.create 1024 in
    Array.iteri
      (fun i (piece : Scan.piece) ->
        let order, starts = orders.(i) in
        for k = starts.(p) to starts.(p + 1) - 1 do
          let id = order.(k) in
          let hash = Vocab.hash piece.vocab id in
          numbers.(i).(id) <-
            Vocab.intern_string all ~hash (Vocab.word piece.vocab id)
        done)
      pieces;
    all
  in
  (loops.init parts merge_partition, numbers)

(* The places of the words of every piece in the numbered text. A file's words
   may span pieces, and a piece's words may span files, so both lists are walked
   together. The result has, for each piece, a list of [(local, global, count)]
   runs between gaps. *)
let layout (pieces : Scan.piece array) files =
  let runs = Array.make (Array.length pieces) [] in
  let piece = ref 0 and local = ref 0 and global = ref 0 in
  Array.iter
    (fun words ->
      let left = ref words in
      while !left > 0 do
        let n = min !left (Ints.length pieces.(!piece).ids - !local) in
        if n = 0 then begin
          incr piece;
          local := 0
        end
        else begin
          runs.(!piece) <- (!local, !global, n) :: runs.(!piece);
          local := !local + n;
          global := !global + n;
          left := !left - n
        end
      done;
      incr global)
    files;
  if !global >= gap then
    failwith "the corpus has more than two thousand million words";
  (runs, !global)

let fill_gaps text files =
  let at = ref (-1) in
  Array.iter
    (fun words ->
      at := !at + words + 1;
      Ints.set text !at gap)
    files

(* Writes the text: [number piece] is the function from a local number to the
   word number. Pieces write disjoint cells. *)
let encode pieces files number loop =
  let runs, length = layout pieces files in
  let text = Ints.make length in
  fill_gaps text files;
  loop (fun i (piece : Scan.piece) ->
      Interrupt.check ();
      let number = number i piece in
      List.iter
        (fun (local, global, n) ->
          for k = 0 to n - 1 do
            Ints.set text (global + k) (number (Ints.get piece.ids (local + k)))
          done)
        runs.(i));
  text

let parallel loops pieces ~files =
  let partitions, numbers = merge loops pieces in
  let t = of_partitions partitions in
  let number i (piece : Scan.piece) =
    let numbers = numbers.(i) in
    Array.iteri
      (fun id n ->
        numbers.(id) <- n + t.bases.(part (Vocab.hash piece.vocab id)))
      numbers;
    fun id -> numbers.(id)
  in
  let loop f = Loops.iteri loops f pieces in
  (t, encode pieces files number loop)

let sequential (pieces : Scan.piece array) ~files =
  assert (Array.length pieces = 1);
  let t = of_partitions [| pieces.(0).vocab |] in
  (t, encode pieces files (fun _ _ id -> id) (fun f -> Array.iteri f pieces))
