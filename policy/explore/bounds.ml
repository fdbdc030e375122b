type t = { cores : int; threads : int; events : int; varied : bool }

let show b =
  let some n what =
    Printf.sprintf "%d %s%s" n what (if n = 1 then "" else "s")
  in
  if b.cores = 1 then
    Printf.sprintf "%s, %s" (some 1 "core") (some b.threads "thread")
  else
    Printf.sprintf "%s, %s, %s%s" (some b.cores "core")
      (some b.threads "thread") (some b.events "event")
      (if b.varied then ", attributes varied" else "")

(* The numbers are cores, threads, events, and 1 if attributes are varied. *)
let flat =
  [
    (2, 3, 0, 0); (2, 3, 1, 0); (2, 3, 0, 1); (3, 4, 0, 0); (3, 4, 1, 0);
    (2, 3, 1, 1); (3, 4, 0, 1); (2, 3, 2, 0); (4, 5, 0, 0); (3, 4, 2, 0);
    (4, 5, 1, 0); (3, 4, 1, 1); (2, 3, 2, 1); (3, 5, 2, 0); (4, 5, 0, 1);
    (4, 5, 2, 0); (3, 4, 2, 1); (4, 5, 1, 1); (3, 5, 3, 0); (4, 6, 2, 0);
    (5, 6, 1, 0); (4, 5, 2, 1); (4, 5, 3, 0); (5, 7, 2, 0); (4, 6, 3, 0);
    (5, 6, 3, 0); (6, 8, 2, 0); (5, 7, 4, 0); (6, 8, 4, 0);
  ]
[@@ocamlformat "disable"]

let grouped =
  [
    (4, 4, 0, 0); (4, 5, 0, 0); (4, 4, 1, 0); (4, 4, 0, 1); (4, 5, 1, 0);
    (4, 5, 0, 1); (4, 6, 1, 0); (4, 4, 2, 0); (4, 5, 1, 1); (4, 5, 2, 0);
    (4, 6, 2, 0); (4, 6, 1, 1); (4, 5, 3, 0); (4, 7, 3, 0); (4, 8, 4, 0);
  ]
[@@ocamlformat "disable"]

let alone =
  List.map
    (fun threads -> { cores = 1; threads; events = 0; varied = true })
    [ 2; 3 ]

let among_thieves =
  List.map
    (fun threads -> { cores = 2; threads; events = 0; varied = true })
    [ 3; 4; 5; 6 ]

let series ~groups ~varied ~thieves =
  List.filter_map
    (fun (cores, threads, events, v) ->
      if v = 1 && not varied then None
      else Some { cores; threads; events; varied = v = 1 })
    (match (groups, thieves) with
    | false, _ -> flat
    | true, false -> grouped
    | true, true -> (3, 3, 1, 0) :: grouped)
