type part = { sum : int; prefix : int; suffix : int; best : int }

let random n = Array.init n (fun i -> Rng.below 201 i - 100)
let max (a : int) b = if a > b then a else b

let part (a : int array) lo hi =
  let sum = ref 0 and prefix = ref 0 and lowest = ref 0 in
  let ending = ref 0 and best = ref 0 in
  for i = lo to hi - 1 do
    let x = Array.unsafe_get a i in
    sum := !sum + x;
    if !sum > !prefix then prefix := !sum;
    if !sum < !lowest then lowest := !sum;
    ending := max 0 (!ending + x);
    if !ending > !best then best := !ending
  done;
  (* The best suffix is the rest after the lowest prefix. *)
  { sum = !sum; prefix = !prefix; suffix = !sum - !lowest; best = !best }

let join l r =
  {
    sum = l.sum + r.sum;
    prefix = max l.prefix (l.sum + r.prefix);
    suffix = max r.suffix (r.sum + l.suffix);
    best = max (max l.best r.best) (l.suffix + r.prefix);
  }

let best (a : int array) =
  let ending = ref 0 and best = ref 0 in
  for i = 0 to Array.length a - 1 do
    ending := max 0 (!ending + Array.unsafe_get a i);
    if !ending > !best then best := !ending
  done;
  !best
