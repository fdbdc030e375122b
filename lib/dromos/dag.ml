open Dag_graph

type t = Dag_graph.t
type vertex = Dag_graph.vertex

let create = Dag_graph.create
let size g = g.size
let ran v = v.ran
let vertex g ?name code = add g ~call:"vertex" ?name (fun _ -> code ())
let precede a b = connect ~call:"precede" ~needed:a.chooses a b

let branch g ?name choose =
  add g ~call:"branch" ?name ~chooses:true (fun v ->
      Dag_rules.choose v (choose ()))

(* {1 Values} *)

type 'a node = { at : vertex; value : 'a option ref }

let of_node node = node.at

let add_node g ~call ?name f =
  let value = ref None in
  let forget () = value := None in
  { at = add g ~call ?name ~forget (fun _ -> value := Some (f ())); value }

let value_opt node = !(node.value)

let value node =
  match !(node.value) with
  | Some v -> v
  | None ->
      invalid_arg
        (Printf.sprintf
           "Dromos.Dag.value: %s has no value; read it after a run that ran \
            it, or in a vertex that it precedes"
           node.at.name)

let node g ?name f = add_node g ~call:"node" ?name f
let needs ~call node others = connect ~call ~needed:true node.at others.at

let map ?name f a =
  let node = add_node a.at.graph ~call:"map" ?name (fun () -> f (value a)) in
  needs ~call:"map" a node;
  node

(* Called before the first vertex or edge is added to the graph. *)
let check_of g ~call node =
  if node.at.graph != g then
    invalid_arg
      (Printf.sprintf "Dromos.Dag.%s: %s is of another graph" call node.at.name)

let map2 ?name f a b =
  let call = "map2" in
  check_of a.at.graph ~call b;
  let code () = f (value a) (value b) in
  let node = add_node a.at.graph ~call ?name code in
  needs ~call a node;
  needs ~call b node;
  node

let all g ?name nodes =
  List.iter (check_of g ~call:"all") nodes;
  let node = add_node g ~call:"all" ?name (fun () -> List.map value nodes) in
  List.iter (fun a -> needs ~call:"all" a node) nodes;
  node

(* {1 Running} *)

let run = Dag_run.run
let extend = Dag_run.extend
let pp_dot = Dag_dot.pp
