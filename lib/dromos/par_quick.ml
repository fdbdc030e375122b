open Dromos_fiber

(* Sorting in place, and selection: introsort (Musser, "Introspective sorting and
   selection algorithms", 1997) with pivots that are medians of three or, in long
   ranges, of three medians (Bentley, McIlroy, "Engineering a sort function", 1993).

   Partitions stop at equals from both sides (Hoare, "Quicksort", 1962), so that
   equal keys halve the range. A partition that leaves less than an eighth on one
   side costs a life, of log n lives. A heap sorts a range without lives, so that no
   pattern costs more than O(n log n).

   Only swaps and insertions write to the array, and an insertion compares first and
   moves afterwards. So wherever a comparison raises, the array is a permutation of
   its old contents. Each index is checked against the range, without sentinels, so
   that the sort ends also with a comparison that is no order. *)

let get = Array.unsafe_get
let set = Array.unsafe_set

let swap a i j =
  let x = get a i in
  set a i (get a j);
  set a j x

(* {1 Heaps} *)

(* Makes a heap of the subtree at [root], in the heap a[lo, lo + n), greatest first. Both
   subtrees of [root] are heaps. *)
let rec sift cmp a lo n root =
  let child = (2 * root) + 1 in
  if child < n then begin
    let greater =
      if child + 1 < n && cmp (get a (lo + child)) (get a (lo + child + 1)) < 0
      then child + 1
      else child
    in
    if cmp (get a (lo + root)) (get a (lo + greater)) < 0 then begin
      swap a (lo + root) (lo + greater);
      sift cmp a lo n greater
    end
  end

let heap_sort cmp a lo hi =
  let n = hi - lo in
  for root = (n / 2) - 1 downto 0 do
    sift cmp a lo n root
  done;
  for last = n - 1 downto 1 do
    swap a lo (lo + last);
    sift cmp a lo last 0
  done

(* {1 Partitions} *)

(* The index of the median. *)
let median cmp a i j k =
  let x = get a i and y = get a j and z = get a k in
  if cmp x y < 0 then if cmp y z < 0 then j else if cmp x z < 0 then k else i
  else if cmp x z < 0 then i
  else if cmp y z < 0 then k
  else j

let pivot cmp a lo hi =
  let n = hi - lo in
  let mid = lo + (n / 2) and last = hi - 1 in
  if n < 128 then median cmp a lo mid last
  else
    let step = n / 8 in
    median cmp a
      (median cmp a lo (lo + step) (lo + (2 * step)))
      (median cmp a (mid - step) mid (mid + step))
      (median cmp a (last - (2 * step)) (last - step) last)

(* Moves the pivot to a place [m]: elements to the left are not greater, elements to the
   right not less. *)
let partition cmp a lo hi =
  swap a lo (pivot cmp a lo hi);
  let x = get a lo in
  let i = ref (lo + 1) and j = ref (hi - 1) in
  let crossed = ref false in
  while not !crossed do
    while !i <= !j && cmp (get a !i) x < 0 do
      incr i
    done;
    while !i <= !j && cmp (get a !j) x > 0 do
      decr j
    done;
    if !i < !j then begin
      swap a !i !j;
      incr i;
      decr j
    end
    else crossed := true
  done;
  (* Elements up to [j] are not greater than the pivot. *)
  swap a lo !j;
  !j

let rec log2 n = if n < 2 then 0 else 1 + log2 (n / 2)

let lives_after lives lo m hi =
  if Int.min (m - lo) (hi - 1 - m) < (hi - lo) / 8 then lives - 1 else lives

(* {1 Sorting} *)

let insertion_below = 16

let rec sort_seq cmp a lives lo hi =
  if hi - lo <= insertion_below then Par_sort.insertion cmp a lo hi
  else if lives = 0 then heap_sort cmp a lo hi
  else begin
    let m = partition cmp a lo hi in
    let lives = lives_after lives lo m hi in
    sort_seq cmp a lives lo m;
    sort_seq cmp a lives (m + 1) hi
  end

let rec sort_par fiber grain cmp a lives lo hi =
  if hi - lo <= grain then sort_seq cmp a lives lo hi
  else if lives = 0 then heap_sort cmp a lo hi
  else begin
    let m = partition cmp a lo hi in
    let lives = lives_after lives lo m hi in
    let (), () =
      Par_range.both fiber
        (fun fiber -> sort_par fiber grain cmp a lives lo m)
        (fun fiber -> sort_par fiber grain cmp a lives (m + 1) hi)
    in
    ()
  end

(* The end of the longest prefix in which [ok] holds for all neighbours. *)
let rec prefix ok a i n =
  if i < n && ok (get a (i - 1)) (get a i) then prefix ok a (i + 1) n else i

let reverse a =
  let n = Array.length a in
  for i = 0 to (n / 2) - 1 do
    swap a i (n - 1 - i)
  done

(* [true] if [a] was sorted already, or in reverse; a reversed array is turned round. *)
let is_ready cmp a n =
  prefix (fun x y -> cmp x y <= 0) a 1 n = n
  || prefix (fun x y -> cmp x y > 0) a 1 n = n
     && begin
          reverse a;
          true
        end

let grain_of = function None -> 1024 | grain -> Par_range.grain_or_one grain

let sort ?grain cmp a =
  let grain = grain_of grain in
  let n = Array.length a in
  Stream.without (fun () ->
      if not (is_ready cmp a n) then
        sort_par (Fiber.current ()) grain cmp a (log2 n) 0 n)

(* {1 Selection} *)

let rec select fiber cmp a lives k lo hi =
  Par_range.check fiber;
  if hi - lo <= insertion_below then Par_sort.insertion cmp a lo hi
  else if lives = 0 then heap_sort cmp a lo hi
  else begin
    let m = partition cmp a lo hi in
    let lives = lives_after lives lo m hi in
    if k < m then select fiber cmp a lives k lo m
    else if k > m then select fiber cmp a lives k (m + 1) hi
  end

let select_nth cmp k a =
  let n = Array.length a in
  if k < 0 || k >= n then
    invalid_arg
      (Printf.sprintf
         "Dromos.Par.Array.select_nth: no element %d in an array of %d" k n);
  Stream.without (fun () -> select (Fiber.current ()) cmp a (log2 n) k 0 n);
  get a k
