external here : unit -> bool = "bench_futex_here" [@@noalloc]
external play : int -> int = "bench_futex_ping_pong"

let ping_pong n =
  let sum = play n in
  if sum < 0 then failwith "futex: no thread can be made";
  sum
