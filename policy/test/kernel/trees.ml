(* Machines of one core, and of four in several trees. *)

open Dromos_policy_semantics

let all =
  [
    Topology.flat 1;
    Topology.flat 4;
    Topology.tree ~cores:4 2;
    Topology.make ~cores:4 [ [ [ 0 ]; [ 1 ] ]; [ [ 0; 1 ]; [ 2; 3 ] ] ];
    Topology.make ~cores:4
      [ [ [ 0 ]; [ 1; 2 ]; [ 3 ] ]; [ [ 0; 1; 2 ]; [ 1; 3 ] ] ];
  ]
