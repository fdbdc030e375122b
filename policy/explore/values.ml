open Core

let first_int a =
  match (a.initial, a.ty) with
  | Some { it = Int_value n; _ }, _ -> n
  | _, (Core | Group | Domain) -> -1
  | _ -> 0

(* A value that the policy never gives would lead to impossible runs. *)
let can_be policy a n =
  let { Loads.least; most } = Loads.bounds policy a in
  Option.fold ~none:true ~some:(fun least -> least <= n) least
  && Option.fold ~none:true ~some:(fun most -> n <= most) most

(* The literals to which an attribute is set. *)
let set_to policy (a : attribute) =
  let rec leaves e =
    match e.it with
    | Int_value n -> [ n ]
    | If_else (_, yes, no) -> leaves yes @ leaves no
    | _ -> []
  in
  let found = ref [] in
  Visits.policy ~expression:ignore policy ~statement:(function
    | Set (_, b, e) when b.id = a.id -> found := leaves e @ !found
    | _ -> ());
  !found

(* The most values of an attribute: the values multiply with the distributions
   of threads. *)
let most = 4

(* None, and the first, the second and the last of [n] names. *)
let named n = List.sort_uniq compare [ -1; 0; Int.min 1 (n - 1); n - 1 ]

(* Sets in one word, as in {!Bits}: all cores, the first, the last, and all but
   the first. All cores is also the set where the system says nothing. *)
let sets (topology : Topology.t) =
  let n = topology.cores in
  let most =
    List.fold_left Int.max n
      [ Array.length topology.groups; Array.length topology.domains ]
  in
  if most > Bits.one_word then []
  else
    let all = (1 lsl n) - 1 in
    List.sort_uniq compare [ all; 1; 1 lsl (n - 1); all land lnot 1 ]
    |> List.filter (fun set -> set <> 0)

let range policy relevant (topology : Topology.t) a =
  List.filter (can_be policy a)
  @@
  match a.ty with
  | Core when a.system -> named topology.cores
  | Cores when a.system && a.owner = Of_thread -> sets topology
  | Group when a.system -> named (Array.length topology.groups)
  | Domain when a.system -> named (Array.length topology.domains)
  | Enum e -> List.init (Array.length e.members) Fun.id
  | Bool -> [ 0; 1 ]
  | Int when a.name = "load" ->
      if a.system || Relevant.assigned relevant a then
        List.sort_uniq compare ([ 1; 2; 3 ] @ set_to policy a)
        |> List.filter (can_be policy a)
        |> List.filteri (fun i _ -> i < most)
      else []
  | Int ->
      List.concat_map
        (fun n -> [ n - 1; n; n + 1 ])
        (Relevant.constants relevant a)
      |> List.cons (first_int a)
      |> List.sort_uniq compare
      |> List.filteri (fun i _ -> i < most)
  | _ -> []

let told_apart policy relevant topology (a : attribute) =
  let more = if a.ty = Int then [ first_int a + 1 ] else [] in
  List.sort_uniq compare (more @ range policy relevant topology a)
