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

let rec find ~check ~all columns left right path =
  check ();
  if columns = all then Some path
  else
    try_ ~check ~all columns left right path
      (all land lnot (columns lor left lor right))

and try_ ~check ~all columns left right path free =
  if free = 0 then None
  else
    let bit = free land -free in
    match
      find ~check ~all (columns lor bit)
        ((left lor bit) lsl 1)
        ((right lor bit) lsr 1)
        (bit :: path)
    with
    | Some _ as found -> found
    | None -> try_ ~check ~all columns left right path (free lxor bit)

let solves n path =
  let rec go columns left right = function
    | [] -> columns = full n
    | bit :: rest ->
        bit land (columns lor left lor right) = 0
        && go (columns lor bit)
             ((left lor bit) lsl 1)
             ((right lor bit) lsr 1)
             rest
  in
  go 0 0 0 (List.rev path)
