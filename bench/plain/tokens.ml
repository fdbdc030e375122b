type t = { first : int array; past : int array }

let make n = { first = Array.make n 0; past = Array.make n 0 }

let fill t s lo hi at =
  let at = ref at in
  for i = lo to hi - 1 do
    if Text.starts s i then (
      t.first.(!at) <- i;
      t.past.(!at) <- Text.word_end s i;
      incr at)
  done

let all s =
  let n = String.length s in
  let t = make (Text.counts s 0 n).words in
  fill t s 0 n 0;
  t

(* Fowler, Noll and Vo's function. *)
let hash s t i =
  let h = ref 0x4bf29ce484222325 in
  for k = t.first.(i) to t.past.(i) - 1 do
    h := !h lxor Char.code (String.unsafe_get s k) * 0x100000001b3
  done;
  !h land max_int

module Set = struct
  type set = {
    slots : int array;  (** a word's number, or -1 *)
    hashes : int array;
    mask : int;
    mutable length : int;
    mutable sum : int;
  }

  let rec power n k = if k >= n then k else power n (2 * k)

  let create n =
    let size = power (2 * n) 16 in
    {
      slots = Array.make size (-1);
      hashes = Array.make size 0;
      mask = size - 1;
      length = 0;
      sum = 0;
    }

  let same s t i j =
    let a = t.first.(i) and b = t.first.(j) in
    let length = t.past.(i) - a in
    let rec go k =
      k = length
      || String.unsafe_get s (a + k) = String.unsafe_get s (b + k)
         && go (k + 1)
    in
    t.past.(j) - b = length && go 0

  let add s t set h i =
    (* The low bits choose the part of a divided set, so the search starts at
       other bits. *)
    let rec probe at =
      let j = set.slots.(at) in
      if j < 0 then (
        set.slots.(at) <- i;
        set.hashes.(at) <- h;
        set.length <- set.length + 1;
        set.sum <- (set.sum + h) land max_int)
      else if set.hashes.(at) = h && same s t i j then ()
      else probe ((at + 1) land set.mask)
    in
    probe ((h lsr 8) land set.mask)

  let length set = set.length
  let sum set = set.sum
end
