(* Lists through arrays: what they cost beside the user's function is a walk. *)

let iter ?grain f l = Par_array.iter ?grain f (Array.of_list l)
let map ?grain f l = Array.to_list (Par_array.map ?grain f (Array.of_list l))

let filter ?grain p l =
  Array.to_list (Par_array.filter ?grain p (Array.of_list l))

let filter_map ?grain f l =
  Array.to_list (Par_array.filter_map ?grain f (Array.of_list l))

let concat_map ?grain f l = List.concat (map ?grain f l)

let map_reduce ?grain ~map ~combine zero l =
  Par_array.map_reduce ?grain ~map ~combine zero (Array.of_list l)
