open Dromos_fiber

let map_named ~call ?max f xs =
  let xs = Array.of_list xs in
  let results = Array.make (Array.length xs) None in
  let one _ i = results.(i) <- Some (Runners.alone (fun () -> f xs.(i))) in
  Runners.go ~call ?max (Array.length xs) one;
  (* If an outer scope was cancelled, some elements have no result. *)
  Cancel.check (Fiber.current ());
  Array.fold_right (fun result rest -> Option.get result :: rest) results []

let map ?max f xs = map_named ~call:"Dromos.Tasks.map" ?max f xs

let iter ?max f xs =
  ignore (map_named ~call:"Dromos.Tasks.iter" ?max f xs : unit list)

let filter_map ?max f xs =
  let kept = map_named ~call:"Dromos.Tasks.filter_map" ?max f xs in
  List.filter_map Fun.id kept

let all ?max fs = map_named ~call:"Dromos.Tasks.all" ?max (fun f -> f ()) fs
