let full n = (1 lsl n) - 1

let rec count ~all columns left right =
  if columns = all then 1
  else place ~all columns left right (all land lnot (columns lor left lor right))

and place ~all columns left right free =
  if free = 0 then 0
  else
    let bit = free land -free in
    let here =
      count ~all (columns lor bit) ((left lor bit) lsl 1) ((right lor bit) lsr 1)
    in
    here + place ~all columns left right (free lxor bit)
