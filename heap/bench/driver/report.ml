(* A number is found by the words that come before it, each after the one before. *)

let of_collections kind =
  let after name words =
    (kind ^ name, ("heap: " ^ kind ^ " collections ") :: words)
  in
  [
    after "_collections" [];
    after "_s" [ "together " ];
    after "_longest_ms" [ "longest " ];
  ]

let places =
  [
    ("domains_s", [ "domains together " ]);
    ("allocated_mb", [ "heap: allocated " ]);
    ("promoted_mb", [ "promoted " ]);
    ("copied_mb", [ "copied " ]);
    ("held_mb", [ "heap: held "; "at most " ]);
    ("entangled_mb", [ "heap: entangled " ]);
    ("publications", [ "heap: entangled "; "by " ]);
    ("pinned_mb", [ "pinned "; "at most " ]);
    ("splits", [ "splits " ]);
    ("merges", [ "merges " ]);
  ]
  @ List.concat_map of_collections [ "young"; "full"; "global" ]

(* Where [part] ends, from [i] on. *)
let rec past text part i =
  let n = String.length part in
  if i + n > String.length text then None
  else if String.sub text i n = part then Some (i + n)
  else past text part (i + 1)

let rec number_end text i =
  match text.[i] with
  | '0' .. '9' | '.' -> number_end text (i + 1)
  | _ | (exception Invalid_argument _) -> i

let number text words =
  let next place word = Option.bind place (past text word) in
  let at i = float_of_string_opt (String.sub text i (number_end text i - i)) in
  Option.bind (List.fold_left next (Some 0) words) at

let figures text =
  let found =
    List.filter_map
      (fun (name, words) -> Option.map (fun x -> (name, x)) (number text words))
      places
  in
  let get name = List.assoc_opt name found in
  match (get "young_s", get "full_s", get "domains_s") with
  | Some young, Some full, Some all when all > 0. ->
      ("leaf_share", (young +. full) /. all) :: found
  | _ -> found
