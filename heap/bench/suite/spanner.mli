(** A sparse subgraph whose distances are longer by a constant factor only. *)

val program : Program.t

val edges : (module Program.Fork) -> Graph.t -> k:int -> (int * int) array
(** O(n{^ 1+1/k}) edges, each with the lesser vertex first; distances grow by a
    factor of O(k). The result depends only on the graph. *)
