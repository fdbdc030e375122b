(** Graphs: the neighbours of a vertex are a piece of one array. An undirected
    graph holds each edge twice. *)

type t = private { offsets : int array; targets : int array }

val vertices : t -> int

val edges : t -> int
(** The number of directed edges. *)

val degree : t -> int -> int

val neighbour : t -> int -> int -> int
(** [neighbour g v k] is the neighbour number [k] of [v]. *)

val directed : int -> t
(** A graph with [n] vertices and three edges from each vertex; most vertices
    are connected. *)

val undirected : int -> t
(** A graph with four edges per vertex, half of them to near vertices. *)
