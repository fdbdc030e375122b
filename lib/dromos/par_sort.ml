open Dromos_fiber

(* A stable merge sort, with parallel merges.

   Halves are sorted by [Fork.both]; two runs are merged in parallel: cut the longer
   run in the middle, find the place of its middle element in the other run by
   bisection, and merge the two pairs of parts independently (Cormen, Leiserson,
   Rivest, Stein, "Introduction to algorithms", 3rd ed., section 27.3). Runs go back
   and forth between the array and one buffer of the same length, so each level
   copies an element once.

   Wherever a comparison may raise, the array is a permutation of its old contents.
   A merge into the buffer leaves the array alone. A merge into the array has its
   source, a permutation of the same segment, in the buffer, and is undone from
   there. The insertion sort compares first and moves afterwards. *)

let get = Array.unsafe_get
let set = Array.unsafe_set

(* {1 Sequential parts} *)

(* Merges src[l1, h1) and src[l2, h2) into dst from [d]; of equal elements, those of
   the first run go first. *)
let merge_seq cmp src l1 h1 l2 h2 dst d =
  let rec go i x j y d =
    if cmp x y <= 0 then begin
      set dst d x;
      let i = i + 1 in
      if i < h1 then go i (get src i) j y (d + 1)
      else Array.blit src j dst (d + 1) (h2 - j)
    end
    else begin
      set dst d y;
      let j = j + 1 in
      if j < h2 then go i x j (get src j) (d + 1)
      else Array.blit src i dst (d + 1) (h1 - i)
    end
  in
  let n1 = h1 - l1 and n2 = h2 - l2 in
  if n1 = 0 || n2 = 0 || cmp (get src (h1 - 1)) (get src l2) <= 0 then begin
    Array.blit src l1 dst d n1;
    Array.blit src l2 dst (d + n1) n2
  end
  else go l1 (get src l1) l2 (get src l2) d

let insertion cmp a lo hi =
  for i = lo + 1 to hi - 1 do
    let x = get a i in
    let j = ref (i - 1) in
    while !j >= lo && cmp (get a !j) x > 0 do
      decr j
    done;
    let place = !j + 1 in
    for k = i - 1 downto place do
      set a (k + 1) (get a k)
    done;
    set a place x
  done

(* Runs [merge], which writes a[lo, hi) from t[lo, hi). *)
let or_undo a t lo hi merge =
  match merge () with
  | () -> ()
  | exception exn ->
      let trace = Printexc.get_raw_backtrace () in
      Array.blit t lo a lo (hi - lo);
      Printexc.raise_with_backtrace exn trace

let insertion_below = 8

(* Sorts a[lo, hi); the result goes to [t] if [away], else to [a]. *)
let rec sort_seq cmp a t lo hi away =
  if hi - lo <= insertion_below then begin
    insertion cmp a lo hi;
    if away then Array.blit a lo t lo (hi - lo)
  end
  else
    let mid = lo + ((hi - lo) / 2) in
    sort_seq cmp a t lo mid (not away);
    sort_seq cmp a t mid hi (not away);
    if away then merge_seq cmp a lo mid mid hi t lo
    else or_undo a t lo hi (fun () -> merge_seq cmp t lo mid mid hi a lo)

(* {1 Parallel parts} *)

(* The first index in [l, h) whose element does not satisfy [p]. [p] holds for a
   prefix of [l, h). *)
let rec bisect p a l h =
  if l >= h then l
  else
    let m = l + ((h - l) / 2) in
    if p (get a m) then bisect p a (m + 1) h else bisect p a l m

let rec merge_par fiber piece cmp src l1 h1 l2 h2 dst d =
  let n1 = h1 - l1 and n2 = h2 - l2 in
  if n1 + n2 <= piece then merge_seq cmp src l1 h1 l2 h2 dst d
  else
    (* Elements of the first run stay to the left of equal elements of the
       second run. *)
    let m1, m2 =
      if n1 >= n2 then
        let m1 = l1 + (n1 / 2) in
        let x = get src m1 in
        (m1, bisect (fun y -> cmp x y > 0) src l2 h2)
      else
        let m2 = l2 + (n2 / 2) in
        let y = get src m2 in
        (bisect (fun x -> cmp x y <= 0) src l1 h1, m2)
    in
    let (), () =
      Par_range.both fiber
        (fun fiber -> merge_par fiber piece cmp src l1 m1 l2 m2 dst d)
        (fun fiber ->
          let d = d + (m1 - l1) + (m2 - l2) in
          merge_par fiber piece cmp src m1 h1 m2 h2 dst d)
    in
    ()

(* The least piece, in elements: about 10 us of comparisons of ints. A merge
   does less for each element than a sort, and pays for its bisections. *)
let default_grain = 256
let merge_piece grain = Int.max 2 (8 * grain)

let rec sort_par fiber grain cmp a t lo hi away =
  if hi - lo <= grain then sort_seq cmp a t lo hi away
  else
    let mid = lo + ((hi - lo) / 2) in
    let (), () =
      Fork.both fiber
        (fun fiber -> sort_par fiber grain cmp a t lo mid (not away))
        (fun fiber -> sort_par fiber grain cmp a t mid hi (not away))
    in
    let piece = merge_piece grain in
    if away then merge_par fiber piece cmp a lo mid mid hi t lo
    else
      or_undo a t lo hi (fun () ->
          merge_par fiber piece cmp t lo mid mid hi a lo)

let grain_of = function
  | None -> default_grain
  | grain -> Par_range.grain_or_one grain

let sort ?grain cmp a =
  let grain = grain_of grain in
  let n = Array.length a in
  if n > 1 then
    Stream.without @@ fun () ->
    begin
      let fiber = Fiber.current () in
      if n <= insertion_below then insertion cmp a 0 n
      else
        let t = Array.make n (get a 0) in
        if Par_range.outside fiber then sort_seq cmp a t 0 n false
        else sort_par fiber grain cmp a t 0 n false
    end

(* A loop over elements makes the keys, so that slow keys are made in parallel. *)
let sort_by ?grain cmp key a =
  let grain = grain_of grain in
  let n = Array.length a in
  if n > 0 then begin
    let keyed = Array.make n None in
    Par_range.for_ 0 n (fun i ->
        let x = get a i in
        set keyed i (Some (key x, x)));
    let by_key x y =
      match (x, y) with
      | Some (k, _), Some (l, _) -> cmp k l
      | None, _ | _, None -> assert false (* the loop has made all keys *)
    in
    sort ~grain by_key keyed;
    Array.iteri (fun i x -> Option.iter (fun (_, x) -> set a i x) x) keyed
  end

(* [merge_par] merges two parts of one array, so the two arrays are joined first, which
   is cheap beside the comparisons. *)
let merge ?grain cmp a b =
  let grain = grain_of grain in
  let n1 = Array.length a and n2 = Array.length b in
  if n1 = 0 then Array.copy b
  else if n2 = 0 then Array.copy a
  else
    let src = Array.append a b in
    let dst = Array.copy src in
    let fiber = Fiber.current () in
    Stream.without (fun () ->
        merge_par fiber (merge_piece grain) cmp src 0 n1 n1 (n1 + n2) dst 0);
    dst
