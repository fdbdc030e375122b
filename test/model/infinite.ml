module Cells = Map.Make (Int)

type t = { front : int; back : int; cells : int Cells.t }

let empty = { front = 0; back = 0; cells = Cells.empty }
let size t = t.back - t.front
let push t v = { t with back = t.back + 1; cells = Cells.add t.back v t.cells }

let pop t =
  if size t = 0 then None
  else
    let back = t.back - 1 in
    Some (Cells.find back t.cells, { t with back })

let steal t =
  if size t = 0 then None
  else Some (Cells.find t.front t.cells, { t with front = t.front + 1 })
