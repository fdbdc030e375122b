(** Low-diameter decomposition: G. L. Miller, R. Peng and S. C. Xu, Parallel
    graph decompositions using random shifts, SPAA 2013. Every vertex starts a
    cluster after a random delay, unless one has reached it before; clusters
    grow by an edge in each round. *)

type claim = {
  round : int;
  centre : int;  (** of the cluster that the vertex belongs to *)
  urgency : int;  (** of two clusters in one round the lesser one is first *)
  from : int;  (** a neighbour in it, claimed in the round before; or itself *)
}

val grow : (module Program.Fork) -> Graph.t -> beta:float -> claim array
(** Of each vertex. Depends on the graph and [beta] alone: about so large a part
    of the edges is cut, and clusters have a radius of about [ln n / beta]. *)
