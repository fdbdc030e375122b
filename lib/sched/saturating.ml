let sub a b =
  let d = a - b in
  (* Only operands of different signs overflow, and [d] then has the sign of [b]. *)
  if a >= 0 <> (b >= 0) && d >= 0 <> (a >= 0) then
    if a >= 0 then max_int else min_int
  else d

let bound a b = if a >= 0 = (b >= 0) then max_int else min_int

let mul a b =
  if a = 0 || b = 0 then 0
  else if (a = -1 && b = min_int) || (b = -1 && a = min_int) then max_int
  else
    let p = a * b in
    if p / b = a then p else bound a b

let positive ~call name n =
  if n < 1 then
    invalid_arg (Printf.sprintf "%s: ~%s:%d, expected 1 or more" call name n)
