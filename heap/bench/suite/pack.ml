(* Pieces of the range make lists; a scan computes the offset of each list. *)

let piece = 8192

let kept keep lo hi =
  let rec from i =
    if i = hi then [] else if keep i then i :: from (i + 1) else from (i + 1)
  in
  from lo

let indices (module F : Program.Fork) n keep =
  let pieces = (n + piece - 1) / piece in
  let lists =
    F.Array.init ~grain:1 pieces (fun p ->
        kept keep (p * piece) (min n ((p + 1) * piece)))
  in
  let starts, total = F.Array.scan ( + ) 0 (F.Array.map List.length lists) in
  let all = Array.make total 0 in
  F.for_ ~grain:1 0 pieces (fun p ->
      List.iteri (fun k i -> all.(starts.(p) + k) <- i) lists.(p));
  all
