(** Graphs: the neighbours of each vertex in a piece of one array. Undirected
    ones have each edge twice. *)

type t = private { offsets : int array; targets : int array }

val vertices : t -> int

val edges : t -> int
(** Of one direction. *)

val degree : t -> int -> int

val neighbour : t -> int -> int -> int
(** [neighbour g v k] is number [k] of those of [v]. *)

val directed : int -> t
(** With that many vertices, three edges from each: most of it hangs together.
*)

val undirected : int -> t
(** Four edges for each vertex, half of them to near ones. *)
