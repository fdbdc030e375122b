let some = function [] -> invalid_arg "Stats: no samples" | l -> l

let median l =
  let a = Array.of_list (some l) in
  Array.sort Float.compare a;
  let n = Array.length a in
  if n mod 2 = 1 then a.(n / 2) else (a.((n / 2) - 1) +. a.(n / 2)) /. 2.

let least l = List.fold_left Float.min infinity (some l)
let most l = List.fold_left Float.max neg_infinity (some l)
let mean l = List.fold_left ( +. ) 0. l /. float_of_int (List.length l)
let geomean = function [] -> nan | l -> exp (mean (List.map log l))

type line = { slope : float; at_zero : float; explained : float }

let fit points =
  let mean f = mean (List.map f points) in
  let mx = mean fst and my = mean snd in
  let dx (x, _) = x -. mx and dy (_, y) = y -. my in
  let spread f g = mean (fun p -> f p *. g p) in
  let xx = spread dx dx and xy = spread dx dy and yy = spread dy dy in
  let slope = xy /. xx in
  { slope; at_zero = my -. (slope *. mx); explained = xy *. xy /. (xx *. yy) }

let distinct key l =
  List.fold_left
    (fun seen x -> if List.mem (key x) seen then seen else key x :: seen)
    [] l
  |> List.rev

let grouped key l =
  List.map (fun k -> (k, List.filter (fun x -> key x = k) l)) (distinct key l)
