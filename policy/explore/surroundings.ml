open Core

type t = (attribute * int * int) list

(* The most combinations that a search has time for, beside all distributions
   of threads. *)
let most = 12

let others policy relevant topology (a : attribute) =
  List.filter
    (fun v -> v <> Values.first_int a)
    (Values.told_apart policy relevant topology a)

let attributes policy relevant topology =
  List.filter
    (fun (a : attribute) ->
      a.system && a.owner <> Of_thread && Relevant.kept relevant a
      && others policy relevant topology a <> [])
    (Array.to_list policy.attributes)

let owners (topology : Topology.t) = function
  | Of_core -> topology.cores
  | Of_group -> Array.length topology.groups
  | Of_domain -> Array.length topology.domains
  | Global -> 1
  | Of_thread -> 0

let differing policy relevant topology a =
  List.concat_map
    (fun v -> List.init (owners topology a.owner) (fun i -> [ (a, i, v) ]))
    (others policy relevant topology a)

let all policy relevant topology =
  let each =
    List.map
      (differing policy relevant topology)
      (attributes policy relevant topology)
  in
  let size = List.fold_left (fun n d -> n * (1 + List.length d)) 1 each in
  if size <= most then
    List.fold_right
      (fun differing rest ->
        List.concat_map (fun d -> List.map (( @ ) d) rest) ([] :: differing))
      each [ [] ]
  else [] :: List.concat each

let set m (s : Machine.state) =
  List.iter (fun (a, i, v) -> Look.set_attribute m s a i v)

let owners_text owner these =
  let named word =
    match these with
    | [ i ] when owner = Of_thread -> Printf.sprintf "t%d has" i
    | [ i ] -> Printf.sprintf "%s %d has" word i
    | _ -> Printf.sprintf "%ss %s have" word (Numbers.show these)
  in
  match owner with
  | Of_core -> named "core"
  | Of_group -> named "group"
  | Of_domain -> named "domain"
  | Of_thread -> named "thread"
  | Global -> "the machine has"

let value (a : attribute) v =
  match a.ty with
  | Bool -> string_of_bool (v <> 0)
  | Enum e when v >= 0 && v < Array.length e.members -> e.members.(v)
  | (Core | Group | Domain) when v < 0 -> "none"
  | Cores ->
      List.init Bits.one_word Fun.id
      |> List.filter (fun c -> (v lsr c) land 1 = 1)
      |> List.map string_of_int |> String.concat ", " |> Printf.sprintf "{%s}"
  | _ -> string_of_int v

let drawn = function
  | 0 -> []
  | 1 -> [ "draws the second of all" ]
  | _ -> [ "draws the last of all" ]

(* The owners of attributes that differ from their initial values, grouped by
   value: "core 1 has capacity 2", "threads 0 to 3 have slice 5". *)
let differences m (s : Machine.state) kept =
  let { Layout.policy; topology; threads; _ } = Machine.layout m in
  let owners = function Of_thread -> threads | o -> owners topology o in
  let plain = Machine.initial m in
  let of_attribute (a : attribute) =
    let now i = Look.attribute m s a i in
    let differing =
      List.filter
        (fun i -> now i <> Look.attribute m plain a i)
        (List.init (owners a.owner) Fun.id)
    in
    let text v =
      let having = List.filter (fun i -> now i = v) differing in
      Printf.sprintf "%s %s %s" (owners_text a.owner having) a.name (value a v)
    in
    List.map text (List.sort_uniq compare (List.map now differing))
  in
  Array.to_list policy.attributes
  |> List.filter (fun (a : attribute) -> kept a && not a.is_lazy)
  |> List.concat_map of_attribute

let said m (s : Machine.state) =
  drawn s.(Layout.draw) @ differences m s (fun a -> a.system)

(* The last core of a thread can be seen from where the thread stands. *)
let earlier m s =
  differences m s (fun a ->
      not (a.system || (a.owner = Of_thread && a.ty = Core)))

let shape (t : Topology.t) =
  let groups (domain : Topology.domain) =
    let cores g = t.groups.(g).group_cores in
    let alone g = List.length (cores g) = 1 in
    if List.for_all alone domain.domain_groups then
      Numbers.show domain.domain_cores ^ ", each alone"
    else
      String.concat " | "
        (List.map (fun g -> Numbers.show (cores g)) domain.domain_groups)
  in
  List.mapi
    (fun d domain -> Printf.sprintf "domain %d: cores %s" d (groups domain))
    (Array.to_list t.domains)
