module Deque = Dromos_deque.Bounded

let capacity = 256

let make ~workers =
  let dummy = Hub.task ignore in
  let deques = Array.init workers (fun _ -> Deque.create ~capacity ~dummy) in
  Stealing.make ~workers
    { Stealing.name = "hybrid"; deques = Stealing.Fixed deques }

let maker = { Hub.make }
