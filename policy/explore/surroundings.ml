open Core

type t = (attribute * int * int) list

(* As many as a search has time for beside all distributions of threads. *)
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

let owner_name i = function
  | Of_core -> Printf.sprintf "core %d" i
  | Of_group -> Printf.sprintf "group %d" i
  | Of_domain -> Printf.sprintf "domain %d" i
  | Of_thread -> Printf.sprintf "t%d" i
  | Global -> "the system"

let value (a : attribute) v =
  match a.ty with
  | Bool -> string_of_bool (v <> 0)
  | Enum e when v >= 0 && v < Array.length e.members -> e.members.(v)
  | (Core | Group | Domain) when v < 0 -> "none"
  | _ -> string_of_int v

let drawn = function
  | 0 -> []
  | 1 -> [ "draws the second of all" ]
  | _ -> [ "draws the last of all" ]

let said m (s : Machine.state) =
  let { Layout.policy; topology; threads; _ } = Machine.layout m in
  let owners = function Of_thread -> threads | o -> owners topology o in
  let plain = Machine.initial m in
  drawn s.(Layout.draw)
  @ List.concat_map
      (fun (a : attribute) ->
        if (not a.system) || a.is_lazy then []
        else
          List.filter_map
            (fun i ->
              let v = Look.attribute m s a i in
              if v = Look.attribute m plain a i then None
              else
                Some
                  (Printf.sprintf "%s has %s %s" (owner_name i a.owner) a.name
                     (value a v)))
            (List.init (owners a.owner) Fun.id))
      (Array.to_list policy.attributes)
