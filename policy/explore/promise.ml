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
  | Lcwc event -> "LCWC of " ^ Query.event_name event
  | Waiting -> "bounded waiting"

type breach = { overloaded : int list; idle : int list }

let in_set m s ghost c = Layout.marked (Machine.layout m) s ghost c

(* A group of k cores is overloaded with more than k threads, and idle with
   fewer. A single core is a group of one. *)
let overloaded m s cores =
  List.fold_left (fun n c -> n + Look.really m s c) 0 cores > List.length cores
  && not (List.exists (in_set m s Layout.unblocked) cores)

let idle m s cores =
  List.fold_left (fun n c -> n + Look.really m s c) 0 cores < List.length cores
  && (not (List.exists (in_set m s Layout.blocked) cores))
  && List.for_all (Look.synch m s) cores

(* True if core c has a ready thread, beside the running one, that may run on
   core d. *)
let has_for m s c d =
  Look.current m s c <> None
  && List.exists
       (fun st ->
         List.exists
           (fun t -> Machine.may_run m s ~thread:t ~core:d)
           (Look.queue m s c st))
       (Query.ready (Machine.layout m).policy)

let some_for m s sources destinations =
  List.exists
    (fun d ->
      Look.really m s d = 0
      && List.exists (fun c -> Look.really m s c > 1 && has_for m s c d) sources)
    destinations

(* With an affinity, a core is overloaded with respect to certain idle cores
   only ([serves]). *)
let between m s sources all serves =
  List.find_map
    (fun overloaded_ ->
      if not (overloaded m s overloaded_) then None
      else
        List.find_opt
          (fun idle_ -> idle m s idle_ && serves overloaded_ idle_)
          all
        |> Option.map (fun idle -> { overloaded = overloaded_; idle }))
    sources

let breach ?(mended = false) t m s =
  let topology = (Machine.layout m).topology in
  let cores = List.init topology.cores (fun c -> [ c ]) in
  let serves =
    match (Query.affinity (Machine.layout m).policy, t) with
    | None, _ -> fun _ _ -> true
    | Some _, (Gcwc | Hcwc | Waiting) -> some_for m s
    | Some _, Lcwc _ ->
        fun overloaded idle ->
          List.exists (in_set m s Layout.fits) idle
          && ((not mended) || some_for m s overloaded idle)
  in
  match t with
  | Waiting -> None
  | Gcwc -> between m s cores cores serves
  | Lcwc _ ->
      let c = s.(Layout.placed) - 1 in
      if c < 0 then None else between m s [ [ c ] ] cores serves
  | Hcwc ->
      List.find_map
        (fun (d : Topology.domain) ->
          let groups =
            List.map (fun g -> topology.groups.(g).group_cores) d.domain_groups
          in
          between m s groups groups serves)
        (Array.to_list topology.domains)
