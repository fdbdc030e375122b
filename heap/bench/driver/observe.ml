let figures ~workers ~seconds (seen : Watch.seen) =
  let time = float_of_int workers *. seconds in
  [
    ("max_pause_ms", seen.stops.longest_ms);
    ("gc_share", if time > 0. then seen.stops.together_s /. time else 0.);
    ("lost_events", float_of_int seen.lost);
  ]

let extended (seen : Watch.seen) : Yojson.Safe.t =
  let open Yojson.Safe.Util in
  let json = Yojson.Safe.from_string seen.output in
  let seconds =
    List.fold_left
      (fun sum x -> sum +. to_number x)
      0.
      (to_list (member "seconds" json))
  in
  let workers = max 1 (to_int (member "workers" json)) in
  let ours =
    List.map (fun (k, x) -> (k, `Float x)) (figures ~workers ~seconds seen)
  in
  let fields =
    List.map
      (function
        | "figures", theirs -> ("figures", `Assoc (to_assoc theirs @ ours))
        | field -> field)
      (to_assoc json)
  in
  `Assoc fields

let main = function
  | limit :: (_ :: _ as command) -> (
      match Watch.run ~limit:(float_of_string limit) command with
      | Ok seen -> print_endline (Yojson.Safe.to_string (extended seen))
      | Error why ->
          prerr_endline why;
          exit 1)
  | _ ->
      prerr_endline "observe LIMIT COMMAND ..";
      exit 2
