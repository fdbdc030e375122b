(* Divide and conquer over arrays and text. Monomorphic loops, shared with the
   sequential programs, work on pieces of at most [cutoff] elements. *)

open Bench_plain
open Sched

let rec reduce ctx cutoff leaf join lo hi =
  if hi - lo <= cutoff then leaf lo hi
  else
    let mid = (lo + hi) / 2 in
    let a, b =
      both ctx
        (fun ctx -> reduce ctx cutoff leaf join lo mid)
        (fun ctx -> reduce ctx cutoff leaf join mid hi)
    in
    join a b

let mcss ~n ~cutoff =
  let a = Mcss.random n in
  fun ctx ->
    let r = reduce ctx cutoff (Mcss.part a) Mcss.join 0 n in
    fun () -> r.best

let wc ~n ~cutoff =
  let s = Text.generate n in
  fun ctx ->
    let r = reduce ctx cutoff (Text.counts s) Text.join 0 n in
    fun () -> Checksum.ints [| r.words; r.lines |]

let linefit ~n ~cutoff =
  let points = Linefit.random n in
  fun ctx ->
    let sums = reduce ctx cutoff (Linefit.sums points) Linefit.join 0 n in
    fun () -> Checksum.floats [| Linefit.slope n sums |]

(* Merges by cutting the longer piece in half, and the shorter piece at the
   place of that half's last element. The merge is stable, so the cut depends on
   the side of the longer piece. *)
let rec merge ctx cutoff src lo1 hi1 lo2 hi2 dst at =
  let n1 = hi1 - lo1 and n2 = hi2 - lo2 in
  if n1 + n2 <= cutoff || n1 = 0 || n2 = 0 then
    Sorting.merge src lo1 hi1 lo2 hi2 dst at
  else
    let mid1, mid2 =
      if n1 >= n2 then
        let m = (lo1 + hi1) / 2 in
        (m, Sorting.lower_bound src lo2 hi2 src.(m))
      else
        let m = (lo2 + hi2) / 2 in
        (Sorting.lower_bound src lo1 hi1 (src.(m) + 1), m)
    in
    let middle = at + (mid1 - lo1) + (mid2 - lo2) in
    ignore
      (both ctx
         (fun ctx -> merge ctx cutoff src lo1 mid1 lo2 mid2 dst at)
         (fun ctx -> merge ctx cutoff src mid1 hi1 mid2 hi2 dst middle))

(* Sorts [a] between [lo] and [hi] into [a], or into [tmp] if [away]. *)
let rec msort ctx cutoff a tmp away lo hi =
  if hi - lo <= cutoff then (
    Sorting.sort a tmp lo hi;
    if away then Array.blit a lo tmp lo (hi - lo))
  else
    let mid = (lo + hi) / 2 in
    ignore
      (both ctx
         (fun ctx -> msort ctx cutoff a tmp (not away) lo mid)
         (fun ctx -> msort ctx cutoff a tmp (not away) mid hi));
    if away then merge ctx cutoff a lo mid mid hi tmp lo
    else merge ctx cutoff tmp lo mid mid hi a lo

let msort ~n ~cutoff =
  let a = Sorting.random n in
  let tmp = Array.make n 0 in
  fun ctx ->
    msort ctx cutoff a tmp false 0 n;
    fun () -> Checksum.ints a

let jobs : (string * (n:int -> cutoff:int -> ctx -> unit -> int)) list =
  [ ("mcss", mcss); ("wc", wc); ("linefit", linefit); ("msort", msort) ]
