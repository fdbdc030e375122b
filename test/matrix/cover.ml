let shuffle chance list =
  let keyed = List.map (fun x -> (Random.State.bits chance, x)) list in
  List.map snd (List.sort (fun (k, _) (k', _) -> compare k k') keyed)

(* The pairs that a cell covers: each kind with the structure, and the two kinds
   together. *)
let shows { Play.structure; a; b } =
  [
    (structure.name, a.Party.kind);
    (structure.name, b.Party.kind);
    (a.kind, b.kind);
  ]

let pairwise chance cells =
  let shown = Hashtbl.create 997 in
  let gain cell =
    let fresh what = not (Hashtbl.mem shown what) in
    List.length (List.filter fresh (List.sort_uniq compare (shows cell)))
  in
  (* Greedy: each time, the cell that covers the most uncovered pairs. *)
  let rec go chosen cells =
    let better (best, most) cell =
      let g = gain cell in
      if g > most then (Some cell, g) else (best, most)
    in
    match List.fold_left better (None, 0) cells with
    | None, _ -> chosen
    | Some cell, _ ->
        List.iter (fun what -> Hashtbl.replace shown what ()) (shows cell);
        go (cell :: chosen) (List.filter (fun c -> c != cell) cells)
  in
  go [] (shuffle chance cells)

let sample chance n cells =
  List.filteri (fun i _ -> i < n) (shuffle chance cells)

let only names cells =
  let names = List.map String.trim (String.split_on_char ',' names) in
  let rec remove name = function
    | [] -> None
    | x :: rest when x = name -> Some rest
    | x :: rest -> Option.map (List.cons x) (remove name rest)
  in
  let named { Play.structure; a; b } =
    let mine = [ structure.name; a.kind; b.kind ] in
    let step left name = Option.bind left (remove name) in
    List.fold_left step (Some mine) names <> None
  in
  match List.filter named cells with
  | [] ->
      let of_cell { Play.structure; a; b } =
        [ structure.name; a.kind; b.kind ]
      in
      let known = List.sort_uniq compare (List.concat_map of_cell cells) in
      invalid_arg
        (Printf.sprintf "no cell has %s; there are: %s"
           (String.concat "," names) (String.concat " " known))
  | cells -> cells
