type t = { cores : int; threads : int; events : int; varied : bool }

let show b =
  let some n what =
    Printf.sprintf "%d %s%s" n what (if n = 1 then "" else "s")
  in
  Printf.sprintf "%s, %s, %s%s" (some b.cores "core") (some b.threads "thread")
    (some b.events "event")
    (if b.varied then ", attributes varied" else "")

let flat =
  [
    (2, 3, 0); (2, 3, 1); (3, 4, 0); (3, 4, 1); (2, 3, 2); (3, 4, 2);
    (4, 5, 0); (4, 5, 1); (3, 5, 2); (4, 5, 2); (3, 5, 3); (4, 6, 2);
    (5, 6, 1); (4, 5, 3); (5, 7, 2); (4, 6, 3); (5, 6, 3); (6, 8, 2);
    (5, 7, 4); (6, 8, 4);
  ]
[@@ocamlformat "disable"]

let grouped =
  [
    (4, 4, 0); (4, 5, 0); (4, 4, 1); (4, 5, 1); (4, 6, 1); (4, 5, 2);
    (4, 6, 2); (4, 5, 3); (4, 7, 3); (4, 8, 4);
  ]
[@@ocamlformat "disable"]

(* Varied attributes cost much: the plain instance goes one ahead. *)
let series ~groups ~varied =
  let all = if groups then grouped else flat in
  List.concat_map
    (fun (cores, threads, events) ->
      let b = { cores; threads; events; varied = false } in
      if varied then [ b; { b with varied = true } ] else [ b ])
    all
