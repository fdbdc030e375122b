(* Works for any type of elements, like a library function. The lab's msort
   (bench/plain) sorts integers between two arrays, with its own comparisons, and
   allocates nothing; here each merge makes an array, since the suite measures
   allocation. *)

open Bench_plain

let grain = 4096

(* The first index of [a], from [lo] to [hi], whose element does not satisfy
   [goes_before]. *)
let rec place goes_before a lo hi =
  if lo = hi then lo
  else
    let mid = (lo + hi) / 2 in
    if goes_before a.(mid) then place goes_before a (mid + 1) hi
    else place goes_before a lo mid

let merge_into compare a (i, a_end) b (j, b_end) out at =
  let rec go i j at =
    if i < a_end && (j = b_end || compare a.(i) b.(j) <= 0) then (
      out.(at) <- a.(i);
      go (i + 1) j (at + 1))
    else if j < b_end then (
      out.(at) <- b.(j);
      go i (j + 1) (at + 1))
  in
  go i j at

let merge (module F : Program.Fork) compare a b =
  let out = Array.make (Array.length a + Array.length b) a.(0) in
  let rec go (i, a_end) (j, b_end) at =
    if a_end - i + b_end - j <= grain || i = a_end then
      merge_into compare a (i, a_end) b (j, b_end) out at
    else
      let a_mid = (i + a_end) / 2 in
      let b_mid = place (fun y -> compare y a.(a_mid) < 0) b j b_end in
      let middle = at + (a_mid - i) + (b_mid - j) in
      let (), () =
        F.both
          (fun () -> go (i, a_mid) (j, b_mid) at)
          (fun () -> go (a_mid, a_end) (b_mid, b_end) middle)
      in
      ()
  in
  go (0, Array.length a) (0, Array.length b) 0;
  out

let sort (module F : Program.Fork) compare a =
  let rec go lo hi =
    if hi - lo <= grain then (
      let piece = Array.sub a lo (hi - lo) in
      Array.stable_sort compare piece;
      piece)
    else
      let mid = (lo + hi) / 2 in
      let left, right = F.both (fun () -> go lo mid) (fun () -> go mid hi) in
      merge (module F) compare left right
  in
  go 0 (Array.length a)

let program : Program.t =
  {
    name = "msort-int64";
    about = "merge sort of integers, merging in parallel into fresh arrays";
    entangled = false;
    allocates = false;
    size_is = "integers";
    size = 2_000_000;
    tiny = 30_000;
    prepare =
      (fun n ->
        let a = Sorting.random n in
        fun fork () ->
          let sorted = sort fork Int.compare a in
          fun () -> Checksum.ints sorted);
  }
