(** A sparse subgraph in which distances are but a constant factor longer. *)

val program : Program.t

val edges : (module Program.Fork) -> Graph.t -> k:int -> (int * int) array
(** O(n{^ 1+1/k}) edges, in each of which the lesser vertex comes first;
    distances grow by a factor of O(k). Depends on the graph alone. *)
