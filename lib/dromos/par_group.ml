open Dromos_fiber

(* Groups of elements of equal keys, in the order of their first elements.

   An element loop makes the keys; no user function is called later. Each of a few
   pieces then numbers its keys by a table of its own, in the order of their first
   elements in the piece. A pass over the pieces, from the left, gives each group of a
   piece its number among all groups and the place where the piece's elements begin in
   the group. At last the pieces copy their elements there. So the result shows neither
   the pieces nor the workers. The middle pass is sequential, and as long as the distinct
   keys of all pieces together. *)

let get = Array.unsafe_get
let set = Array.unsafe_set

(* {1 Tables} *)

(* Keys, numbered from 0 in the order of their first elements, and the number of
   elements of each key. *)
type 'k table = {
  numbers : ('k, int) Hashtbl.t;
  mutable keys : 'k array; (* by number, with room for more *)
  mutable counts : int array; (* likewise *)
}

let table () = { numbers = Hashtbl.create 64; keys = [||]; counts = [||] }
let size table = Hashtbl.length table.numbers

(* Twice as long. [Array.make] of a young key would begin with a minor collection,
   [append] does not. *)
let more_keys keys key =
  if keys = [||] then Array.make 16 key else Array.append keys keys

let more_counts counts =
  Array.append counts (Array.make (Int.max 16 (Array.length counts)) 0)

(* The number of [key]; [more] elements have it. *)
let add table key more =
  let number =
    match Hashtbl.find_opt table.numbers key with
    | Some number -> number
    | None ->
        let n = size table in
        if n = Array.length table.keys then begin
          table.keys <- more_keys table.keys key;
          table.counts <- more_counts table.counts
        end;
        Hashtbl.add table.numbers key n;
        table.keys.(n) <- key;
        n
  in
  table.counts.(number) <- table.counts.(number) + more;
  number

(* {1 Pieces} *)

type piece = {
  place : int array;
      (* by the number in the piece: the number among all groups *)
  start : int array;
      (* likewise: where in the group the piece's elements begin *)
}

let piece_size n =
  let fiber = Fiber.current () in
  if Par_range.outside fiber then Int.max 1 n
  else Int.max 1024 (n / (4 * Fiber.workers fiber))

(* All groups, and the pieces; [note i number] is called for each element [i] with the
   number of its key in its piece. *)
let number ?grain key a note =
  let n = Array.length a in
  let keys = Par_array.map ?grain key a in
  let size_of_piece = piece_size n in
  let tables =
    Array.init (Par_range.pieces n size_of_piece) (fun _ -> table ())
  in
  Par_range.for_pieces 0 n size_of_piece (fun l h ->
      let own = tables.(l / size_of_piece) in
      for i = l to h - 1 do
        note i (add own (get keys i) 1)
      done);
  let all = table () in
  let merge own =
    let groups = size own in
    let place = Array.make groups 0 and start = Array.make groups 0 in
    for g = 0 to groups - 1 do
      let count = own.counts.(g) in
      let number = add all own.keys.(g) count in
      place.(g) <- number;
      start.(g) <- all.counts.(number) - count
    done;
    { place; start }
  in
  let pieces = Array.map merge tables in
  (all, pieces, size_of_piece)

let counted all value = Array.init (size all) (fun g -> (all.keys.(g), value g))

let count_by ?grain key a =
  let all, _, _ = number ?grain key a (fun _ _ -> ()) in
  counted all (fun g -> all.counts.(g))

let group_by ?grain key a =
  let n = Array.length a in
  let numbers = Array.make n 0 in
  let all, pieces, size = number ?grain key a (Array.unsafe_set numbers) in
  let groups =
    if n = 0 then [||]
    else
      Array.init (Hashtbl.length all.numbers) (fun g ->
          Array.make all.counts.(g) a.(0))
  in
  Par_range.for_pieces 0 n size (fun l h ->
      let piece = pieces.(l / size) in
      for i = l to h - 1 do
        let g = get numbers i in
        set groups.(piece.place.(g)) piece.start.(g) (get a i);
        piece.start.(g) <- piece.start.(g) + 1
      done);
  counted all (fun g -> groups.(g))

(* {1 Histograms} *)

(* The last step adds up the counts of the pieces, so a piece has at least as many
   elements as there are buckets. *)
let histogram ?grain ~buckets f a =
  if buckets < 0 then
    invalid_arg
      (Printf.sprintf "Dromos.Par.Array.histogram: ~buckets:%d is negative"
         buckets);
  let bucket x =
    let bucket = f x in
    if bucket < 0 || bucket >= buckets then
      invalid_arg
        (Printf.sprintf "Dromos.Par.Array.histogram: no bucket %d of %d" bucket
           buckets);
    bucket
  in
  let n = Array.length a in
  let found : int array = Par_array.map ?grain bucket a in
  let count l h =
    let counts = Array.make buckets 0 in
    for i = l to h - 1 do
      let bucket = Array.unsafe_get found i in
      counts.(bucket) <- counts.(bucket) + 1
    done;
    counts
  in
  let grain = Int.max buckets (piece_size n) in
  Par_reduce.map_reduce_chunks ~grain 0 n ~map:count ~combine:(Array.map2 ( + ))
    ~init:(Array.make buckets 0)
