type t = {
  topology : Topology.t;
  bounds : Bounds.t;
  start : Instance.start;
  quiet : bool;
}

(* Two groups of 30 cores have 60 cores in all. Each core is also a group,
   which makes 62 groups: as many members as a set of one word has. *)
let sizes = [ 4; 8; 16; 30 ]

(* [most]: the threads of the first core of the second group. *)
let pair ~light ~heavy ~most ~coming ~quiet =
  let cores = light + heavy in
  let one_each n = List.init n (fun _ -> 1) in
  let on_cores = (0 :: one_each (light - 1)) @ (most :: one_each (heavy - 1)) in
  let threads = List.fold_left ( + ) coming on_cores in
  {
    topology = Topology.tree ~cores light;
    bounds = { Bounds.cores; threads; events = 0; varied = false };
    start = { Instance.on_cores; system = []; threads_have = [] };
    quiet;
  }

let machines policy (promise : Promise.t) =
  let alike ~most ~coming =
    List.map (fun k -> pair ~light:k ~heavy:k ~most ~coming ~quiet:true) sizes
  in
  match promise with
  | Waiting -> []
  | (Gcwc | Lcwc _) when not (Visits.uses_topology policy) -> []
  | Lcwc _ -> alike ~most:1 ~coming:1
  | Gcwc | Hcwc ->
      alike ~most:2 ~coming:0
      @ [ pair ~light:3 ~heavy:1 ~most:2 ~coming:0 ~quiet:false ]
