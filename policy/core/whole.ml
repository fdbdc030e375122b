(* An overflow: two numbers of one sign have a sum of the other sign. *)
let add a b =
  let sum = a + b in
  if a >= 0 = (b >= 0) && sum >= 0 <> (a >= 0) then None else Some sum

let sub a b =
  let difference = a - b in
  if a >= 0 <> (b >= 0) && difference >= 0 <> (a >= 0) then None
  else Some difference

let mul a b =
  if a = 0 || b = 0 then Some 0
  else
    let product = a * b in
    let wraps = (a = -1 && b = min_int) || (b = -1 && a = min_int) in
    if wraps || product / b <> a then None else Some product

let quotient a b = if b = 0 then 0 else a / b
let remainder a b = if b = 0 then a else a mod b
