type verdict = Ahead | Behind | Equal | Unclear

type t = {
  pairs : int;
  ratio : float;
  low : float;
  high : float;
  verdict : verdict;
}

let resolution = 0.05
let least_pairs = 6
let resamples = 2000
let confidence = 0.95
let seed = [| 1986 |]

let rec ratios own peer =
  match (own, peer) with
  | a :: own, b :: peer ->
      let usable t = Float.is_finite t && t > 0. in
      let rest = ratios own peer in
      if usable a && usable b then (a /. b) :: rest else rest
  | [], _ | _, [] -> []

(* The medians of [resamples] draws with replacement, in ascending order. *)
let medians values =
  let values = Array.of_list values in
  let count = Array.length values in
  let state = Random.State.make seed in
  let draw _ = values.(Random.State.int state count) in
  let medians =
    Array.init resamples (fun _ -> Stats.median (List.init count draw))
  in
  Array.sort Float.compare medians;
  medians

let interval values =
  let medians = medians values in
  let outside =
    int_of_float ((1. -. confidence) /. 2. *. float_of_int resamples)
  in
  (medians.(outside), medians.(resamples - 1 - outside))

let distance low high =
  Float.max (Float.abs (low -. 1.)) (Float.abs (high -. 1.))

let judge ~pairs low high =
  if pairs < least_pairs then Unclear
  else if high < 1. then Ahead
  else if low > 1. then Behind
  else if distance low high <= resolution then Equal
  else Unclear

let compare ~own ~peer =
  match ratios own peer with
  | [] -> None
  | values ->
      let pairs = List.length values in
      let low, high = interval values in
      let verdict = judge ~pairs low high in
      Some { pairs; ratio = Stats.median values; low; high; verdict }

let within t = distance t.low t.high

let name = function
  | Ahead -> "ahead"
  | Behind -> "behind"
  | Equal -> "equal"
  | Unclear -> "unclear"
