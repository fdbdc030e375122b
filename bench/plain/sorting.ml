let random n = Array.init n (fun i -> Rng.below 1_000_000_000 i)

let insertion (a : int array) lo hi =
  for i = lo + 1 to hi - 1 do
    let x = a.(i) in
    let j = ref (i - 1) in
    while !j >= lo && a.(!j) > x do
      a.(!j + 1) <- a.(!j);
      decr j
    done;
    a.(!j + 1) <- x
  done

let merge (src : int array) lo1 hi1 lo2 hi2 (dst : int array) at =
  let i = ref lo1 and j = ref lo2 and k = ref at in
  while !i < hi1 && !j < hi2 do
    let x = Array.unsafe_get src !i and y = Array.unsafe_get src !j in
    if x <= y then (
      Array.unsafe_set dst !k x;
      incr i)
    else (
      Array.unsafe_set dst !k y;
      incr j);
    incr k
  done;
  for l = !i to hi1 - 1 do
    dst.(!k + l - !i) <- src.(l)
  done;
  let k = !k + hi1 - !i in
  for l = !j to hi2 - 1 do
    dst.(k + l - !j) <- src.(l)
  done

let copy (src : int array) (dst : int array) lo hi =
  for i = lo to hi - 1 do
    dst.(i) <- src.(i)
  done

let rec sort a tmp lo hi =
  if hi - lo <= 16 then insertion a lo hi
  else
    let mid = (lo + hi) / 2 in
    sort a tmp lo mid;
    sort a tmp mid hi;
    merge a lo mid mid hi tmp lo;
    copy tmp a lo hi

let rec lower_bound (a : int array) lo hi x =
  if lo >= hi then lo
  else
    let mid = (lo + hi) / 2 in
    if a.(mid) < x then lower_bound a (mid + 1) hi x else lower_bound a lo mid x
