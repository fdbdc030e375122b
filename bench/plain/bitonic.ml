let exchange (a : int array) ~up lo half =
  for i = lo to lo + half - 1 do
    let x = a.(i) and y = a.(i + half) in
    if x > y = up then begin
      a.(i) <- y;
      a.(i + half) <- x
    end
  done

let rec merge a ~up lo n =
  if n > 1 then begin
    let half = n / 2 in
    exchange a ~up lo half;
    merge a ~up lo half;
    merge a ~up (lo + half) half
  end

let rec sort a ~up lo n =
  if n > 1 then begin
    let half = n / 2 in
    sort a ~up:true lo half;
    sort a ~up:false (lo + half) half;
    merge a ~up lo n
  end
