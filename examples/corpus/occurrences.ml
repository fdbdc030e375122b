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

  let size t = t.size

  let iter f t =
    Array.iteri (fun i key -> if key >= 0 then f key t.counts.(i)) t.keys
end
