open Occurrences

type t = { total : int; distinct : int; top : (string * int) list }

let words lexicon text n position =
  String.concat " "
    (List.init n (fun k -> Lexicon.word lexicon (Ints.get text (position + k))))

(* More frequent first, then in the order of the words. *)
let before (a, count_a) (b, count_b) =
  match Int.compare count_b count_a with 0 -> String.compare a b | c -> c

let rec take k = function
  | x :: rest when k > 0 -> x :: take (k - 1) rest
  | _ -> []

let best top candidates = take top (List.sort before candidates)

(* The [top] most frequent n-grams of a table. The words of an n-gram are joined only
   if the n-gram's count reaches the least count among the best n-grams so far; from
   time to time the candidates are cut to [top]. *)
let best_of_table lexicon text n top (table : Table.t) =
  let least = ref 1 and held = ref 0 and candidates = ref [] in
  let cut () =
    candidates := best top !candidates;
    held := List.length !candidates;
    if !held = top then least := snd (List.nth !candidates (top - 1))
  in
  Table.iter
    (fun key count ->
      if count >= !least then begin
        candidates :=
          (words lexicon text n (position_of key), count) :: !candidates;
        incr held;
        if !held >= (2 * top) + 16 then cut ()
      end)
    table;
  best top !candidates

let of_table lexicon text n top total (table : Table.t) =
  {
    total;
    distinct = Table.size table;
    top = (if top = 0 then [] else best_of_table lexicon text n top table);
  }

let sequential progress lexicon text ~n ~top =
  let table = Table.create 65536 in
  let total = ref 0 in
  let length = Ints.length text in
  let block = 1 lsl 16 in
  for b = 0 to (length - 1) / block do
    Interrupt.check ();
    iter text n (b * block)
      (min length ((b + 1) * block))
      (fun occurrence ->
        incr total;
        Table.add table text n occurrence 1);
    Progress.step progress 1
  done;
  of_table lexicon text n top !total table

(* A block's occurrences, sorted by partition: partition [p] has
   [sorted.(starts.(p)) .. sorted.(starts.(p + 1) - 1)]. *)
type block = { sorted : int array; starts : int array }

let partition_block text n parts from until =
  Interrupt.check ();
  let part occurrence = tag_of occurrence land (parts - 1) in
  let found = Array.make (until - from) 0 in
  let starts = Array.make (parts + 1) 0 in
  let count = ref 0 in
  iter text n from until (fun occurrence ->
      found.(!count) <- occurrence;
      incr count;
      let p = part occurrence + 1 in
      starts.(p) <- starts.(p) + 1);
  for p = 1 to parts do
    starts.(p) <- starts.(p) + starts.(p - 1)
  done;
  let next = Array.sub starts 0 parts in
  let sorted = Array.make !count 0 in
  for k = 0 to !count - 1 do
    let p = part found.(k) in
    sorted.(next.(p)) <- found.(k);
    next.(p) <- next.(p) + 1
  done;
  { sorted; starts }

let table_of_partition text n blocks p =
  Interrupt.check ();
  let slice { starts; _ } = (starts.(p), starts.(p + 1)) in
  let total =
    Array.fold_left
      (fun sum block ->
        let from, until = slice block in
        sum + until - from)
      0 blocks
  in
  let table = Table.create (total / 2) in
  Array.iter
    (fun block ->
      let from, until = slice block in
      for k = from to until - 1 do
        Table.add table text n block.sorted.(k) 1
      done)
    blocks;
  (table, total)

let join ~top a b =
  {
    total = a.total + b.total;
    distinct = a.distinct + b.distinct;
    top = best top (a.top @ b.top);
  }

let nothing = { total = 0; distinct = 0; top = [] }

(* The blocks, and the number of partitions, for tables of some ten thousand
   entries. *)
let partitioned (loops : Loops.t) progress text n =
  let length = Ints.length text in
  let block = 1 lsl 16 in
  let parts = min 1024 (Table.power_of_two (length / 16384) 1) in
  let partition b =
    let until = min length ((b + 1) * block) in
    let sorted = partition_block text n parts (b * block) until in
    Progress.step progress 1;
    sorted
  in
  let blocks = (length + block - 1) / block in
  (loops.init blocks partition, parts)

let parallel (loops : Loops.t) progress lexicon text ~n ~top =
  let blocks, parts = partitioned loops progress text n in
  loops.reduce parts
    (fun p ->
      let table, total = table_of_partition text n blocks p in
      of_table lexicon text n top total table)
    ~combine:(join ~top) nothing

(* {1 Over several texts} *)

type counted = { grams : Ints.t; counts : int array }

(* The part depends on the numbers that all texts share, and on no text. *)
let part_of hash parts = (hash lsr 33) mod parts

let counts (loops : Loops.t) progress text ~n ~parts ~number =
  let blocks, partitions = partitioned loops progress text n in
  let of_partition p =
    let table, _ = table_of_partition text n blocks p in
    let grams = Array.init parts (fun _ -> Ints.empty ()) in
    let counts = Array.make parts [] in
    let gram = Ints.make n in
    Table.iter
      (fun key count ->
        for k = 0 to n - 1 do
          Ints.set gram k (number (Ints.get text (position_of key + k)))
        done;
        let part = part_of (hash gram 0 n land max_int) parts in
        for k = 0 to n - 1 do
          Ints.push grams.(part) (Ints.get gram k)
        done;
        counts.(part) <- count :: counts.(part))
      table;
    Array.map2
      (fun grams counts -> { grams; counts = Array.of_list (List.rev counts) })
      grams counts
  in
  let found = loops.init partitions of_partition in
  Array.init parts (fun part -> Array.map (fun of_part -> of_part.(part)) found)

type merged = { text : Ints.t; n : int; table : Table.t; total : int }

let merge ~n counted =
  let words c = n * Array.length c.counts in
  let text =
    Ints.make (Array.fold_left (fun sum c -> sum + words c) 0 counted)
  in
  let table = Table.create (Ints.length text / n) in
  let at = ref 0 and total = ref 0 in
  Array.iter
    (fun c ->
      for k = 0 to words c - 1 do
        Ints.set text (!at + k) (Ints.get c.grams k)
      done;
      Array.iter
        (fun count ->
          Table.add table text n (occurrence (hash text !at n) !at) count;
          total := !total + count;
          at := !at + n)
        c.counts)
    counted;
  { text; n; table; total = !total }

(* Many n-grams have the same count, so counts are sorted as pairs: a count, and
   the number of n-grams that have it. *)
let greatest ~top m =
  let numbers = Hashtbl.create 1024 in
  Table.iter
    (fun _ count ->
      match Hashtbl.find_opt numbers count with
      | Some n -> incr n
      | None -> Hashtbl.replace numbers count (ref 1))
    m.table;
  let rec first left = function
    | (count, n) :: rest when left > 0 ->
        let n = Int.min left !n in
        List.init n (fun _ -> count) @ first (left - n) rest
    | _ -> []
  in
  first top
    (List.sort
       (fun (a, _) (b, _) -> Int.compare b a)
       (List.of_seq (Hashtbl.to_seq numbers)))

let at_least ~count m =
  let found = ref [] in
  Table.iter
    (fun key times ->
      if times >= count then
        let word k = Ints.get m.text (position_of key + k) in
        found := (Array.init m.n word, times) :: !found)
    m.table;
  !found

let of_merged ~top m candidates =
  { total = m.total; distinct = Table.size m.table; top = best top candidates }
