open Core

let first_int a =
  match a.initial with Some { it = Int_value n; _ } -> n | _ -> 0

(* Values that the policy never gives would be runs that cannot be. *)
let can_be policy a n =
  let { Loads.least; most } = Loads.bounds policy a in
  Option.fold ~none:true ~some:(fun least -> least <= n) least
  && Option.fold ~none:true ~some:(fun most -> n <= most) most

let range policy relevant a =
  List.filter (can_be policy a)
  @@
  match a.ty with
  | Enum e -> List.init (Array.length e.members) Fun.id
  | Bool -> [ 0; 1 ]
  | Int when a.name = "load" ->
      if a.system || Relevant.assigned relevant a then [ 1; 2; 3 ] else []
  | Int ->
      List.concat_map
        (fun n -> [ n - 1; n; n + 1 ])
        (Relevant.constants relevant a)
      |> List.cons (first_int a)
      |> List.sort_uniq compare
      |> List.filteri (fun i _ -> i < 4)
  | _ -> []
