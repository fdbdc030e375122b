let some = function [] -> invalid_arg "Stats: no samples" | l -> l

let median l =
  let a = Array.of_list (some l) in
  Array.sort Float.compare a;
  let n = Array.length a in
  if n mod 2 = 1 then a.(n / 2) else (a.((n / 2) - 1) +. a.(n / 2)) /. 2.

let least l = List.fold_left Float.min infinity (some l)
let most l = List.fold_left Float.max neg_infinity (some l)

let grouped key l =
  let keys =
    List.fold_left
      (fun seen x -> if List.mem (key x) seen then seen else key x :: seen)
      [] l
  in
  List.rev_map (fun k -> (k, List.filter (fun x -> key x = k) l)) keys
