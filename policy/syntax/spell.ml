let distance a b =
  let n = String.length a and m = String.length b in
  let d = Array.make_matrix (n + 1) (m + 1) 0 in
  for i = 0 to n do
    d.(i).(0) <- i
  done;
  for j = 0 to m do
    d.(0).(j) <- j
  done;
  for i = 1 to n do
    for j = 1 to m do
      let change = if a.[i - 1] = b.[j - 1] then 0 else 1 in
      let best =
        min
          (min (d.(i - 1).(j) + 1) (d.(i).(j - 1) + 1))
          (d.(i - 1).(j - 1) + change)
      in
      let swapped =
        i > 1 && j > 1 && a.[i - 1] = b.[j - 2] && a.[i - 2] = b.[j - 1]
      in
      d.(i).(j) <- (if swapped then min best (d.(i - 2).(j - 2) + 1) else best)
    done
  done;
  d.(n).(m)

let far name = min 3 (max 1 (String.length name / 3))

let nearest name names =
  if String.length name > 64 then None
  else
    let lower = String.lowercase_ascii in
    let score other =
      if lower name = lower other then 0 else distance name other
    in
    List.fold_left
      (fun best other ->
        if String.length other > 64 || other = name then best
        else
          let score = score other in
          match best with
          | Some (_, least) when least <= score -> best
          | _ ->
              if score <= far name && score < String.length name then
                Some (other, score)
              else best)
      None names
    |> Option.map fst
