module C = Counter

let step t =
  C.step t;
  Counter.step t

let left t = t.C.limit - t.C.count
let none () = Array.length C.empty
