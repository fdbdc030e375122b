type t = { total : int; distinct : int; top : (string * int) list }

(* An occurrence is one immediate integer: 31 bits of the n-gram's hash, and the
   position of its first word. *)
let tag_of occurrence = occurrence lsr 31
let position_of occurrence = occurrence land 0x7fff_ffff
let occurrence hash position = ((hash land 0x7fff_ffff) lsl 31) lor position

let hash text position n =
  let h = ref 0 in
  for k = position to position + n - 1 do
    h := !h lxor Ints.get text k * 0x2127599bf4325c37;
    h := !h lxor (!h lsr 32)
  done;
  !h

let same text n a b =
  let k = ref 0 in
  while !k < n && Ints.get text (a + !k) = Ints.get text (b + !k) do
    incr k
  done;
  !k = n

(* Calls [f] with every occurrence that starts in [from .. until - 1]. *)
let iter text n from until f =
  let length = Ints.length text in
  (* [ahead] is the first position after the current position that is not known to
     be a word of the same file; [n] words ahead make an n-gram. *)
  let ahead = ref from in
  for position = from to min until (length - n + 1) - 1 do
    if !ahead < position then ahead := position;
    while !ahead < position + n && Ints.get text !ahead <> Lexicon.gap do
      incr ahead
    done;
    if !ahead = position + n then f (occurrence (hash text position n) position)
  done

(* Hash tables with linear probing. The first occurrence of an n-gram is the key. *)
module Table = struct
  type t = {
    mutable keys : int array;  (** occurrence, or -1 *)
    mutable counts : int array;
    mutable size : int;
  }

  let rec power_of_two n k = if k >= n then k else power_of_two n (2 * k)

  let create room =
    let capacity = power_of_two (2 * room) 16 in
    {
      keys = Array.make capacity (-1);
      counts = Array.make capacity 0;
      size = 0;
    }

  (* The slot of a key, or the free slot for the key. The tag's low bits have chosen
     the partition, so a multiplication chooses the slot. *)
  let slot t text n key =
    let mask = Array.length t.keys - 1 in
    let rec probe i =
      let k = t.keys.(i) in
      if
        k < 0
        || tag_of k = tag_of key
           && same text n (position_of k) (position_of key)
      then i
      else probe ((i + 1) land mask)
    in
    probe (((tag_of key * 0x2545f491) lsr 20) land mask)

  let rec grow t text n =
    let { keys; counts; _ } = t in
    t.keys <- Array.make (2 * Array.length keys) (-1);
    t.counts <- Array.make (2 * Array.length keys) 0;
    t.size <- 0;
    Array.iteri (fun i k -> if k >= 0 then add t text n k counts.(i)) keys

  and add t text n key count =
    let i = slot t text n key in
    if t.keys.(i) >= 0 then t.counts.(i) <- t.counts.(i) + count
    else begin
      t.keys.(i) <- key;
      t.counts.(i) <- count;
      t.size <- t.size + 1;
      if 2 * t.size > Array.length t.keys then grow t text n
    end
end

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
  Array.iteri
    (fun i key ->
      if key >= 0 && table.counts.(i) >= !least then begin
        candidates :=
          (words lexicon text n (position_of key), table.counts.(i))
          :: !candidates;
        incr held;
        if !held >= (2 * top) + 16 then cut ()
      end)
    table.keys;
  best top !candidates

let of_table lexicon text n top total (table : Table.t) =
  {
    total;
    distinct = table.size;
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
    Array.iteri
      (fun i key ->
        if key >= 0 then begin
          for k = 0 to n - 1 do
            Ints.set gram k (number (Ints.get text (position_of key + k)))
          done;
          let part = part_of (hash gram 0 n land max_int) parts in
          for k = 0 to n - 1 do
            Ints.push grams.(part) (Ints.get gram k)
          done;
          counts.(part) <- table.counts.(i) :: counts.(part)
        end)
      table.keys;
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

let greatest ~top m =
  let counts = Array.copy m.table.counts in
  Array.sort (fun a b -> Int.compare b a) counts;
  Array.to_list (Array.sub counts 0 (Int.min top (Array.length counts)))

let at_least ~count m =
  let found = ref [] in
  Array.iteri
    (fun i key ->
      if key >= 0 && m.table.counts.(i) >= count then
        let word k = Ints.get m.text (position_of key + k) in
        found := (Array.init m.n word, m.table.counts.(i)) :: !found)
    m.table.keys;
  !found

let of_merged ~top m candidates =
  { total = m.total; distinct = m.table.size; top = best top candidates }
