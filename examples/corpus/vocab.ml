type t = {
  mutable slots : int array;
      (** word + 1, or 0; the length is a power of two *)
  mutable hashes : int array;  (** by word *)
  mutable words : string array;  (** by word *)
  mutable size : int;
}

let rec power_of_two n k = if k >= n then k else power_of_two n (2 * k)

let create room =
  let room = max 16 room in
  {
    slots = Array.make (power_of_two (2 * room) 16) 0;
    hashes = Array.make room 0;
    words = Array.make room "";
    size = 0;
  }

let size t = t.size
let word t id = t.words.(id)
let hash t id = t.hashes.(id)

(* The caller mixes the bits of the hash. The low bits choose a partition of the
   lexicon, so the slot comes from higher bits. *)
let slot_of t hash = (hash lsr 8) land (Array.length t.slots - 1)

let grow_words t =
  let larger fill a =
    let b = Array.make (2 * Array.length a) fill in
    Array.blit a 0 b 0 t.size;
    b
  in
  t.hashes <- larger 0 t.hashes;
  t.words <- larger "" t.words

let grow_slots t =
  t.slots <- Array.make (2 * Array.length t.slots) 0;
  let mask = Array.length t.slots - 1 in
  for id = 0 to t.size - 1 do
    let i = ref (slot_of t t.hashes.(id)) in
    while t.slots.(!i) <> 0 do
      i := (!i + 1) land mask
    done;
    t.slots.(!i) <- id + 1
  done

let add t slot hash word =
  if t.size = Array.length t.words then grow_words t;
  let id = t.size in
  t.words.(id) <- word;
  t.hashes.(id) <- hash;
  t.size <- id + 1;
  t.slots.(slot) <- id + 1;
  if 2 * t.size > Array.length t.slots then grow_slots t;
  id

let same word buffer pos len =
  String.length word = len
  &&
  let i = ref 0 in
  while
    !i < len && String.unsafe_get word !i = Bytes.unsafe_get buffer (pos + !i)
  do
    incr i
  done;
  !i = len

let intern t ~hash buffer pos len =
  if pos < 0 || len < 0 || pos > Bytes.length buffer - len then
    invalid_arg "Vocab.intern";
  let mask = Array.length t.slots - 1 in
  let rec probe i =
    match t.slots.(i) with
    | 0 -> add t i hash (Bytes.sub_string buffer pos len)
    | n ->
        let id = n - 1 in
        if t.hashes.(id) = hash && same t.words.(id) buffer pos len then id
        else probe ((i + 1) land mask)
  in
  probe (slot_of t hash)

let intern_string t ~hash word =
  (* [intern] only reads the bytes, so the copy of [Bytes.of_string] is not
     needed. *)
  intern t ~hash (Bytes.unsafe_of_string word) 0 (String.length word)
