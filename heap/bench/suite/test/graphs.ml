open Heap_suite

let holds what b = if not b then failwith what

(* Distances from a vertex over lists of neighbours; -1 for unreachable vertices. *)
let distances neighbours start =
  let far = Array.make (Array.length neighbours) (-1) in
  let queue = Queue.create () in
  far.(start) <- 0;
  Queue.push start queue;
  while not (Queue.is_empty queue) do
    let v = Queue.pop queue in
    List.iter
      (fun w ->
        if far.(w) < 0 then begin
          far.(w) <- far.(v) + 1;
          Queue.push w queue
        end)
      neighbours.(v)
  done;
  far

let neighbours graph =
  Array.init (Graph.vertices graph) (fun v ->
      List.init (Graph.degree graph v) (Graph.neighbour graph v))

let parallel f = Dromos.run ~workers:4 (fun () -> f Forks.dromos)

let reachability () =
  let graph = Graph.directed 5_000 in
  let next = neighbours graph in
  for start = 0 to 9 do
    let far = distances next start in
    let from = parallel (fun fork -> Reachability.search fork graph start) in
    Array.iteri
      (fun v u ->
        holds "reached" (u >= 0 = (far.(v) >= 0));
        if u >= 0 then
          holds "by an edge" (if v = start then u = v else List.mem v next.(u)))
      from
  done

let clusters graph beta = parallel (fun fork -> Clusters.grow fork graph ~beta)

(* Each vertex has the centre and the round given by its neighbour [from], and neither a
   further neighbour nor the vertex itself would have claimed earlier. *)
let decomposition () =
  let graph = Graph.undirected 3_000 in
  let next = neighbours graph in
  let claims = clusters graph 0.3 in
  holds "as one task does it"
    (claims = Clusters.grow Forks.sequential graph ~beta:0.3);
  let first (a : Clusters.claim) (b : Clusters.claim) =
    compare (a.round, a.urgency, a.centre) (b.round, b.urgency, b.centre) <= 0
  in
  Array.iteri
    (fun v (c : Clusters.claim) ->
      if c.from = v then holds "a centre" (c.centre = v)
      else begin
        let from = claims.(c.from) in
        holds "from a neighbour" (List.mem c.from next.(v));
        holds "from its cluster" (from.centre = c.centre);
        holds "a round later" (c.round = from.round + 1)
      end;
      List.iter
        (fun w ->
          let other = claims.(w) in
          holds "the earliest" (first c { other with round = other.round + 1 }))
        next.(v))
    claims

(* Two vertices of a cluster are at most two radii apart in the cluster's tree; a path
   between adjacent clusters takes two trees and an edge. *)
let spanner () =
  let n = 400 and k = 3 in
  let graph = Graph.undirected n in
  let all = neighbours graph in
  let edges = parallel (fun fork -> Spanner.edges fork graph ~k) in
  let kept = Array.make n [] in
  Array.iter
    (fun (v, w) ->
      holds "an edge of the graph" (List.mem w all.(v));
      kept.(v) <- w :: kept.(v);
      kept.(w) <- v :: kept.(w))
    edges;
  let claims = clusters graph (log (float_of_int n) /. float_of_int (2 * k)) in
  let radius =
    Array.fold_left
      (fun r (c : Clusters.claim) ->
        Int.max r (c.round - claims.(c.centre).round))
      0 claims
  in
  Array.iteri
    (fun v next ->
      let far = distances kept v in
      List.iter
        (fun w -> holds "near" (far.(w) >= 0 && far.(w) <= (4 * radius) + 1))
        next)
    all;
  let bound = float_of_int n ** (1. +. (1. /. float_of_int k)) in
  holds "sparse" (float_of_int (Array.length edges) <= bound)

let tests =
  let case name f = Alcotest.test_case name `Quick f in
  [
    case "reachability" reachability;
    case "clusters" decomposition;
    case "spanner" spanner;
  ]
