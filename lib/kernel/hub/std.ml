module Deques = Dromos_deque.Public

let make ~workers =
  let dummy = Hub.task ignore in
  let deques = Deques.create ~workers ~dummy in
  Stealing.make ~workers
    { Stealing.name = "std"; deques = Stealing.Growing deques }

let maker = { Hub.make }
