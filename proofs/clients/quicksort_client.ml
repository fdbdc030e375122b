(* Parallel quicksort, in place: a future sorts the elements below the pivot, the
   caller sorts the rest. *)

module Pool = Dromos_kernel.Pool
module Future = Dromos_kernel.Future

let swap (t : int array) i j =
  let x = Array.get t i in
  let y = Array.get t j in
  Array.set t i y;
  Array.set t j x

(* The elements before index [i] are below the pivot. The elements from [i] to
   [j - 1] are not. The elements from [j] to [last - 1] are still to be
   compared. *)
let rec partition (t : int array) pivot i j last =
  if j = last then i
  else if Array.get t j < pivot then begin
    swap t i j;
    partition t pivot (i + 1) (j + 1) last
  end
  else partition t pivot i (j + 1) last

let rec sort ctx (t : int array) lo hi =
  if hi - lo > 1 then begin
    let last = hi - 1 in
    let pivot = Array.get t last in
    let mid = partition t pivot lo lo last in
    swap t mid last;
    let lower = Future.async ctx (fun ctx -> sort ctx t lo mid) in
    sort ctx t (mid + 1) hi;
    Future.wait ctx lower
  end

(* The index of the first element that is greater than the next element, or the
   length of the array. *)
let rec in_order (t : int array) i =
  if i + 1 >= Array.length t then Array.length t
  else
    let here = Array.get t i in
    if here <= Array.get t (i + 1) then in_order t (i + 1) else i

(* Returns [n]: all [n] numbers are in order at the end. *)
let run workers n =
  let t = Array.init n (fun i -> i * 7919 mod 1009) in
  With_pool.run workers (fun ctx -> sort ctx t 0 n);
  in_order t 0
