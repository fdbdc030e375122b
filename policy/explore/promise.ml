open Core

type t = Gcwc | Hcwc | Lcwc of event | Waiting

let all p =
  let has event = Query.handler p event <> None in
  let by_group =
    match p.steal with Some { by_group = Some _; _ } -> true | _ -> false
  in
  (if has Balancing && p.steal <> None then
     [ (if by_group then Hcwc else Gcwc) ]
   else [])
  @ (if has New then [ Lcwc New ] else [])
  @ if has Unblock then [ Lcwc Unblock ] else []

let event = function
  | Gcwc | Hcwc -> Balancing
  | Lcwc event -> event
  | Waiting -> Schedule

let name = function
  | Gcwc -> "GCWC of balancing"
  | Hcwc -> "HCWC of balancing"
  | Lcwc event -> "LCWC of " ^ Machine.event_name event
  | Waiting -> "bounded waiting"

type breach = { overloaded : int list; idle : int list }

let in_set m s ghost c = Layout.marked (Machine.layout m) s ghost c

(* A group of k cores is overloaded with more than k threads, idle with fewer;
   a core is a group of one. *)
let overloaded m s cores =
  List.fold_left (fun n c -> n + Look.really m s c) 0 cores > List.length cores
  && not (List.exists (in_set m s Layout.unblocked) cores)

let idle m s cores =
  List.fold_left (fun n c -> n + Look.really m s c) 0 cores < List.length cores
  && (not (List.exists (in_set m s Layout.blocked) cores))
  && List.for_all (Look.synch m s) cores

let among m s sources all =
  match List.find_opt (overloaded m s) sources with
  | None -> None
  | Some overloaded ->
      Option.map
        (fun idle -> { overloaded; idle })
        (List.find_opt (idle m s) all)

let breach t m s =
  let topology = (Machine.layout m).topology in
  let cores = List.init topology.cores (fun c -> [ c ]) in
  match t with
  | Waiting -> None
  | Gcwc -> among m s cores cores
  | Lcwc _ ->
      let c = s.(Layout.placed) - 1 in
      if c < 0 then None else among m s [ [ c ] ] cores
  | Hcwc ->
      List.find_map
        (fun (d : Topology.domain) ->
          let groups =
            List.map (fun g -> topology.groups.(g).group_cores) d.domain_groups
          in
          among m s groups groups)
        (Array.to_list topology.domains)
