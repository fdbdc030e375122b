(* The edges are the trees of clusters of radius O(k), and one edge between each two
   adjacent clusters: G. L. Miller, R. Peng, A. Vladu and S. C. Xu, Improved parallel
   algorithms for spanners and hopsets, SPAA 2015, with edges between pairs of clusters as
   in L. Dhulipala, G. E. Blelloch and J. Shun, Theoretically efficient parallel graph
   algorithms can be fast and scalable, SPAA 2018. A table shared by all tasks finds the
   least edge of each pair. *)

open Bench_plain
open Suite_structures

type bridge = { low : int; high : int; (* centres *) edge : int * int }

let earlier ((a : int), (b : int)) (c, d) = a < c || (a = c && b < d)
let order (a : int) b = if a < b then (a, b) else (b, a)

let bridges_table n =
  Merge_table.create ~room:(2 * n)
    ~hash:(fun b -> Rng.hash (b.low * 0x10001 lxor b.high))
    ~compare:(fun a b ->
      if a.low <> b.low then Int.compare a.low b.low
      else Int.compare a.high b.high)
    ~merge:(fun a b -> if earlier a.edge b.edge then a else b)

let add_bridges graph (claims : Clusters.claim array) table v =
  for k = 0 to Graph.degree graph v - 1 do
    let w = Graph.neighbour graph v k in
    let here = claims.(v).centre and there = claims.(w).centre in
    if v < w && here <> there then
      let low, high = order here there in
      ignore (Merge_table.add table { low; high; edge = (v, w) } : bool)
  done

let edges (module F : Program.Fork) graph ~k =
  let n = Graph.vertices graph in
  let beta = log (float_of_int n) /. float_of_int (2 * k) in
  let claims = Clusters.grow (module F) graph ~beta in
  let table = bridges_table (Graph.edges graph / 2) in
  F.for_ 0 n (add_bridges graph claims table);
  let tree =
    F.Array.init n (fun v ->
        let from = claims.(v).from in
        if from = v then (-1, -1) else order v from)
  and bridges =
    F.Array.init (Merge_table.places table) (fun i ->
        match Merge_table.at table i with
        | Some bridge -> bridge.edge
        | None -> (-1, -1))
  in
  let real = F.Array.filter (fun (v, _) -> v >= 0) in
  Array.append (real tree) (real bridges)

let program : Program.t =
  {
    name = "spanner";
    about = "a sparse subgraph that keeps distances up to a factor";
    entangled = true;
    allocates = true;
    size_is = "vertices";
    size = 200_000;
    tiny = 2_000;
    prepare =
      (fun n ->
        let graph = Graph.undirected n in
        fun fork () ->
          let edges = edges fork graph ~k:4 in
          fun () ->
            let sum =
              Array.fold_left
                (fun sum (v, w) -> (sum + Rng.hash ((v * n) + w)) land max_int)
                0 edges
            in
            Checksum.ints [| Array.length edges; sum |]);
  }
