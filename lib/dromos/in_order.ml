module Semaphore = Dromos_sync.Semaphore

type t = Semaphore.t array

let create n =
  Array.init n (fun i ->
      Semaphore.create ~name:"a pipeline, in order" (if i = 0 then 1 else 0))

let wait t i = Semaphore.acquire t.(i mod Array.length t)
let pass t i = Semaphore.release t.((i + 1) mod Array.length t)
