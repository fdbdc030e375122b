open Bench_plain

let beta = 0.2

(* Counts the vertices with a neighbour in a different cluster, and the edges between
   clusters. *)
let count (module F : Program.Fork) graph (claims : Clusters.claim array) =
  let leaving v =
    let edges = ref 0 in
    for k = 0 to Graph.degree graph v - 1 do
      let w = Graph.neighbour graph v k in
      if claims.(w).centre <> claims.(v).centre then incr edges
    done;
    ((if !edges > 0 then 1 else 0), !edges)
  in
  F.map_reduce 0 (Graph.vertices graph) ~map:leaving
    ~combine:(fun (a, b) (c, d) -> (a + c, b + d))
    ~init:(0, 0)

let program : Program.t =
  {
    name = "ldd-boundary";
    about = "clusters of low diameter in a graph, and the edges between them";
    entangled = true;
    allocates = true;
    size_is = "vertices";
    size = 500_000;
    tiny = 2_000;
    prepare =
      (fun n ->
        let graph = Graph.undirected n in
        fun fork () ->
          let claims = Clusters.grow fork graph ~beta in
          let vertices, edges = count fork graph claims in
          fun () ->
            let centres =
              Array.map (fun (c : Clusters.claim) -> c.centre) claims
            in
            Checksum.ints [| vertices; edges; Checksum.ints centres |]);
  }
