(* Tasks make large structures at every fork depth, and hand them to branches at every
   depth. Forks bulk-pin heaps for the structures, while cycles postpone the unpinning of
   joins. Each branch replaces values in the structures, and checks the values of other
   branches. *)

let must = Check.must
let workers = 2
let size = 5_000

type cell = { at : int; mutable text : string; last : string list Atomic.t }

let make () =
  Array.init size (fun at ->
      { at; text = string_of_int at; last = Atomic.make [] })

let look cell =
  must "a cell's text is its own" (int_of_string cell.text = cell.at);
  List.iter
    (fun s -> must "the value of a cell is its own" (int_of_string s = cell.at))
    (Atomic.get cell.last)

let visit ~from ~step cells =
  let i = ref from in
  while !i < size do
    let cell = cells.(!i) in
    look cell;
    cell.text <- string_of_int cell.at;
    Atomic.set cell.last [ string_of_int cell.at; cell.text ];
    i := !i + step
  done

(* The structures made below return to the fork, and the next branches get them. *)
let rec go depth known =
  let visit_all from = List.iter (visit ~from ~step:97) known in
  if depth = 0 then begin
    visit_all 1;
    [ make () ]
  end
  else
    let mine = make () in
    let left, right =
      Dromos.both
        (fun () ->
          visit_all 2;
          go (depth - 1) (mine :: known))
        (fun () ->
          visit_all 3;
          visit ~from:0 ~step:31 mine;
          go (depth - 1) known)
    in
    Array.iter look mine;
    let made =
      match (left, right) with l :: _, r :: _ -> [ l; r ] | _ -> []
    in
    Dromos.Par.for_ 0 (8 * size) (fun i ->
        List.iter (fun cells -> look cells.(i mod size)) (mine :: made));
    mine :: made

let () =
  let rounds =
    if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 12
  in
  Dromos.run ~workers (fun () ->
      for _ = 1 to rounds do
        List.iter (Array.iter look) (go 5 [])
      done);
  print_endline "PASS apart: large structures at all depths"
