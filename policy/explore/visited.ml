module A = Bigarray.Array1

type ints = (int, Bigarray.int_elt, Bigarray.c_layout) A.t

type t = {
  mutable blocks : Bytes.t array;
  mutable ends : int array;  (** the first free byte of each block *)
  mutable filled : int;  (** the number of blocks in use *)
  mutable count : int;
  mutable table : ints;  (** 0, or a place + 1 with some bits of the hash *)
  mutable mask : int;
}

let block_bits = 20
let block_size = 1 lsl block_bits

let ints n : ints =
  let a = A.create Int C_layout n in
  A.fill a 0;
  a

let create () =
  {
    blocks = [||];
    ends = [||];
    filled = 0;
    count = 0;
    table = ints 16384;
    mask = 16383;
  }

let count t = t.count
let bytes t = (t.filled * block_size) + (8 * A.dim t.table)

(* The header of a state: two bytes of length, one byte of budget, and eight
   bytes for the state from which it was reached. *)
let header = 11
let block t i = Array.unsafe_get t.blocks (i lsr block_bits)
let start i = i land (block_size - 1)
let offset _ i = start i + header
let length t i = Bytes.get_uint16_le (block t i) (start i)
let budget t i = Bytes.get_uint8 (block t i) (start i + 2)
let parent t i = Int64.to_int (Bytes.get_int64_le (block t i) (start i + 3))

let next t i =
  let b, at =
    if i < 0 then (0, 0) else (i lsr block_bits, start i + header + length t i)
  in
  if b < t.filled && at < t.ends.(b) then (b lsl block_bits) lor at
  else if b + 1 < t.filled then (b + 1) lsl block_bits
  else -1

let word b i = Int64.to_int (Bytes.get_int64_le b i)

(* The hash takes eight bytes at a time. The multiplier is odd; the shift folds
   the high bits back into the low bits. *)
let mix h w =
  let x = h lxor w * 0x2545f4914f6cdd1d in
  x lxor (x lsr 29)

let hash b from length =
  let h = ref length in
  let i = ref from in
  let stop = from + length in
  while !i + 8 <= stop do
    h := mix !h (word b !i);
    i := !i + 8
  done;
  let last = ref 0 in
  while !i < stop do
    last := (!last lsl 8) lor Char.code (Bytes.unsafe_get b !i);
    incr i
  done;
  mix !h !last land max_int

let equal t i b length =
  let block = block t i and from = start i in
  Bytes.get_uint16_le block from = length
  &&
  let from = from + header in
  let rec same k =
    if k + 8 <= length then word block (from + k) = word b k && same (k + 8)
    else rest k
  and rest k =
    k >= length
    || (Bytes.unsafe_get block (from + k) = Bytes.unsafe_get b k && rest (k + 1))
  in
  same 0

let low = (1 lsl 40) - 1
let tag h = h land lnot low land max_int

let rec place t e slot =
  let slot = slot land t.mask in
  if A.unsafe_get t.table slot = 0 then A.unsafe_set t.table slot e
  else place t e (slot + 1)

let grow_table t =
  t.mask <- (2 * (t.mask + 1)) - 1;
  t.table <- ints (t.mask + 1);
  let rec go i =
    if i >= 0 then begin
      let h = hash (block t i) (offset t i) (length t i) in
      place t ((i + 1) lor tag h) h;
      go (next t i)
    end
  in
  go (next t (-1))

let new_block t =
  if t.filled = Array.length t.blocks then begin
    let more = max 16 t.filled in
    t.blocks <- Array.append t.blocks (Array.make more Bytes.empty);
    t.ends <- Array.append t.ends (Array.make more 0)
  end;
  t.blocks.(t.filled) <- Bytes.create block_size;
  t.filled <- t.filled + 1

(* Stores the state and returns its place. *)
let store t b length ~budget ~parent =
  let size = header + length in
  if t.filled = 0 || t.ends.(t.filled - 1) + size > block_size then new_block t;
  let last = t.filled - 1 in
  let block = t.blocks.(last) and at = t.ends.(last) in
  Bytes.set_uint16_le block at length;
  Bytes.set_uint8 block (at + 2) budget;
  Bytes.set_int64_le block (at + 3) (Int64.of_int parent);
  Bytes.blit b 0 block (at + header) length;
  t.ends.(last) <- at + size;
  t.count <- t.count + 1;
  (last lsl block_bits) lor at

let add t b length ~budget:left ~parent =
  if 2 * t.count > t.mask then grow_table t;
  let h = hash b 0 length in
  let tagged = tag h in
  let rec find slot =
    let slot = slot land t.mask in
    let e = A.unsafe_get t.table slot in
    if e = 0 then begin
      let i = store t b length ~budget:left ~parent in
      A.unsafe_set t.table slot ((i + 1) lor tagged);
      true
    end
    else
      let i = (e land low) - 1 in
      if e land lnot low = tagged && budget t i >= left && equal t i b length
      then false
      else find (slot + 1)
  in
  find h
