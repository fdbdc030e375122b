(* A task graph: a node runs after the nodes before it have values. The two
   halves have no edge between them, and may run at the same time. *)

module Dag = Dromos.Dag

let sum lo hi = List.fold_left ( + ) 0 (List.init (hi - lo) (fun i -> lo + i))

let () =
  let graph = Dag.create () in
  let limit = Dag.node graph (fun () -> 10_000) in
  let low = Dag.map (fun n -> sum 0 (n / 2)) limit in
  let high = Dag.map (fun n -> sum (n / 2) n) limit in
  let total = Dag.map2 ( + ) low high in
  Dromos.run (fun () -> Dag.run graph);
  Printf.printf "%d + %d = %d\n" (Dag.value low) (Dag.value high)
    (Dag.value total)
