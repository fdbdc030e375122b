let small bound =
  let composite = Bytes.make (bound + 1) '\000' in
  let found = ref [] in
  for i = 2 to bound do
    if Bytes.get composite i = '\000' then (
      found := i :: !found;
      let j = ref (i * i) in
      while !j <= bound do
        Bytes.set composite !j '\001';
        j := !j + i
      done)
  done;
  Array.of_list (List.rev !found)

let base n = small (1 + int_of_float (sqrt (float_of_int n)))

let segment (base : int array) lo hi =
  let size = hi - lo in
  let composite = Bytes.make size '\000' in
  Array.iter
    (fun p ->
      if p * p < hi then
        let first = max (p * p) ((lo + p - 1) / p * p) in
        let j = ref (first - lo) in
        while !j < size do
          Bytes.unsafe_set composite !j '\001';
          j := !j + p
        done)
    base;
  let count = ref 0 in
  for i = 0 to size - 1 do
    if Bytes.unsafe_get composite i = '\000' then incr count
  done;
  !count

let count n =
  let base = base n and total = ref 0 and lo = ref 2 in
  while !lo < n do
    let hi = min n (!lo + 65536) in
    total := !total + segment base !lo hi;
    lo := hi
  done;
  !total
