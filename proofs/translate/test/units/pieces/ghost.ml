type t = { top : int Atomic.t; size : int } [@@prophecy]

let size t = t.size
