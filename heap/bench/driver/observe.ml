let share ~workers ~seconds together =
  if seconds > 0. then together /. (float_of_int workers *. seconds) else 0.

let figures ~workers ~seconds (seen : Watch.seen) =
  let report = Report.figures seen.said in
  let reported name = Option.value ~default:0. (List.assoc_opt name report) in
  let stops = seen.stops in
  let pause, together =
    if stops.stops > 0 || report = [] then (stops.longest_ms, stops.together_s)
    else
      ( Float.max (reported "leaf_longest_ms") (reported "global_longest_ms"),
        reported "leaf_s" )
  in
  [
    ("max_pause_ms", pause);
    ("gc_share", share ~workers ~seconds together);
    ("lost_events", float_of_int seen.lost);
  ]
  @ report

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
