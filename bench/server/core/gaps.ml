type t = {
  start : float;
  mutable last : float;
  mutable longest : float;
  mutable ticks : int;
}

let create () =
  let now = Bench_core.Usage.now () in
  { start = now; last = now; longest = 0.; ticks = 0 }

let stop t =
  let now = Bench_core.Usage.now () in
  t.longest <- Float.max t.longest (now -. t.last);
  t.last <- now

let tick t =
  stop t;
  t.ticks <- t.ticks + 1

let longest t = t.longest
let ticks t = t.ticks
let seconds t = t.last -. t.start
