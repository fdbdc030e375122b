type t = { log : bool; low : float; high : float; step : float }

(* The round step, 1, 2 or 5 times a power of ten, that divides the range into
   four to ten parts. *)
let round_step range =
  let power = 10. ** Float.floor (log10 (range /. 4.)) in
  let fits =
    List.find (fun m -> range /. (m *. power) <= 10.) [ 1.; 2.; 5.; 10. ]
  in
  fits *. power

let linear ~from ~upto =
  let low = Float.min 0. from in
  let range = if upto > low then upto -. low else 1. in
  let step = round_step range in
  { log = false; low; high = low +. (step *. Float.ceil (range /. step)); step }

(* A little room at both ends, so that no point lies on the frame. *)
let log ~from ~upto =
  if not (0. < from && from <= upto) then invalid_arg "Axis.log";
  { log = true; low = from /. 1.25; high = upto *. 1.25; step = 0. }

let at axis x =
  if axis.log then Float.log (x /. axis.low) /. Float.log (axis.high /. axis.low)
  else (x -. axis.low) /. (axis.high -. axis.low)

let label x =
  if x >= 1e6 && Float.rem x 1e6 = 0. then Printf.sprintf "%gM" (x /. 1e6)
  else if x >= 1e4 && Float.rem x 1e3 = 0. then Printf.sprintf "%gk" (x /. 1e3)
  else Printf.sprintf "%g" x

let log_ticks axis =
  let decades = log10 (axis.high /. axis.low) in
  let within = if decades < 2.5 then [ 1.; 2.; 5. ] else [ 1. ] in
  let first = int_of_float (Float.floor (log10 axis.low)) in
  let last = int_of_float (Float.ceil (log10 axis.high)) in
  let decade i =
    List.map (fun m -> m *. (10. ** float_of_int (first + i))) within
  in
  List.init (last - first + 1) decade
  |> List.concat
  |> List.filter (fun x -> axis.low <= x && x <= axis.high)

let ticks axis =
  let values =
    if axis.log then log_ticks axis
    else
      let count =
        Float.to_int (Float.round ((axis.high -. axis.low) /. axis.step))
      in
      (* By multiplication, and rounded, so that labels have no stray digits. *)
      List.init (count + 1) (fun i -> axis.low +. (axis.step *. float_of_int i))
  in
  List.map (fun x -> (x, label x)) values
