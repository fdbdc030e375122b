module A = Bigarray.Array1

type ints = (int, Bigarray.int_elt, Bigarray.c_layout) A.t

type t = {
  mutable blocks : Bytes.t array;
  mutable filled : int;  (** blocks *)
  mutable room : int;  (** where the last one is free *)
  mutable at : ints;  (** by state: block and offset *)
  mutable parents : ints;
  mutable count : int;
  mutable table : ints;  (** 0, or a state + 1 with some bits of its hash *)
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
    filled = 0;
    room = block_size;
    at = ints 4096;
    parents = ints 4096;
    count = 0;
    table = ints 16384;
    mask = 16383;
  }

let count t = t.count

let bytes t =
  (t.filled * block_size) + (8 * (A.dim t.at + A.dim t.parents + A.dim t.table))

let at t i = A.unsafe_get t.at i
let block t i = t.blocks.(at t i lsr block_bits)

(* Two bytes of length and one of budget go before the state. *)
let offset t i = (at t i land (block_size - 1)) + 3
let budget t i = Bytes.get_uint8 (block t i) (offset t i - 1)
let parent t i = A.get t.parents i
let word b i = Int64.to_int (Bytes.get_int64_le b i)

(* Eight bytes at a time; the multiplier is odd, and what it carries upwards is
   folded down again. *)
let hash b length =
  let h = ref length in
  let mix w =
    let x = !h lxor w * 0x2545f4914f6cdd1d in
    h := x lxor (x lsr 29)
  in
  let i = ref 0 in
  while !i + 8 <= length do
    mix (word b !i);
    i := !i + 8
  done;
  let last = ref 0 in
  while !i < length do
    last := (!last lsl 8) lor Char.code (Bytes.unsafe_get b !i);
    incr i
  done;
  mix !last;
  !h land max_int

let equal t i b length =
  let block = block t i and from = offset t i in
  Bytes.get_uint16_le block (from - 3) = length
  &&
  let rec same k =
    if k + 8 <= length then word block (from + k) = word b k && same (k + 8)
    else rest k
  and rest k =
    k >= length
    || (Bytes.unsafe_get block (from + k) = Bytes.unsafe_get b k && rest (k + 1))
  in
  same 0

let low = (1 lsl 40) - 1
let entry i h = (i + 1) lor (h land lnot low land max_int)

let larger (a : ints) =
  let b = ints (2 * A.dim a) in
  A.blit a (A.sub b 0 (A.dim a));
  b

let rec place t h e slot =
  let slot = slot land t.mask in
  if A.unsafe_get t.table slot = 0 then A.unsafe_set t.table slot e
  else place t h e (slot + 1)

let grow_table t =
  t.mask <- (2 * (t.mask + 1)) - 1;
  t.table <- ints (t.mask + 1);
  (* States that lie in blocks are hashed again. *)
  let scratch = Bytes.create 65536 in
  for i = 0 to t.count - 1 do
    let length = Bytes.get_uint16_le (block t i) (offset t i - 3) in
    Bytes.blit (block t i) (offset t i) scratch 0 length;
    let h = hash scratch length in
    place t h (entry i h) h
  done

let store t b length ~budget ~parent =
  if t.count = A.dim t.at then begin
    t.at <- larger t.at;
    t.parents <- larger t.parents
  end;
  if t.room + length + 3 > block_size then begin
    if t.filled = Array.length t.blocks then
      t.blocks <-
        Array.append t.blocks (Array.make (max 16 t.filled) Bytes.empty);
    t.blocks.(t.filled) <- Bytes.create block_size;
    t.filled <- t.filled + 1;
    t.room <- 0
  end;
  let block = t.blocks.(t.filled - 1) in
  Bytes.set_uint16_le block t.room length;
  Bytes.set_uint8 block (t.room + 2) budget;
  Bytes.blit b 0 block (t.room + 3) length;
  t.at.{t.count} <- ((t.filled - 1) lsl block_bits) lor t.room;
  t.parents.{t.count} <- parent;
  t.room <- t.room + length + 3;
  t.count <- t.count + 1

let add t b length ~budget:left ~parent =
  if 2 * t.count > t.mask then grow_table t;
  let h = hash b length in
  let tag = h land lnot low land max_int in
  let rec find slot =
    let slot = slot land t.mask in
    let e = A.unsafe_get t.table slot in
    if e = 0 then begin
      A.unsafe_set t.table slot (entry t.count h);
      store t b length ~budget:left ~parent;
      true
    end
    else
      let i = (e land low) - 1 in
      if e land lnot low = tag && budget t i >= left && equal t i b length then
        false
      else find (slot + 1)
  in
  find h
