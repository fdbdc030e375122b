(** Low-diameter decomposition: G. L. Miller, R. Peng and S. C. Xu, Parallel
    graph decompositions using random shifts, SPAA 2013. Every vertex starts a
    cluster after a random delay, unless a cluster has reached the vertex
    before; clusters grow by an edge in each round. *)

type claim = {
  round : int;
  centre : int;  (** the centre of the vertex's cluster *)
  urgency : int;  (** the lesser urgency of two clusters in a round wins *)
  from : int;
      (** a neighbour in the cluster, claimed in the round before; or the vertex
          itself *)
}

val grow : (module Program.Fork) -> Graph.t -> beta:float -> claim array
(** The claim of each vertex. The result depends only on the graph and [beta]:
    about a fraction [beta] of the edges is cut, and clusters have a radius of
    about [ln n / beta]. *)
