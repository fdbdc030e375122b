(* Claims are records that tasks put into a table of all vertices by compare-and-set.
   Within a round the least claim on a vertex wins, so tasks read and replace records that
   concurrent tasks have just made. *)

open Bench_plain

type claim = { round : int; centre : int; urgency : int; from : int }

let before a b =
  if a.urgency <> b.urgency then a.urgency < b.urgency
  else if a.centre <> b.centre then a.centre < b.centre
  else a.from < b.from

(* [true] if the claim is the first one on its vertex. *)
let rec stake slot claim =
  match Atomic.get slot with
  | None -> Atomic.compare_and_set slot None (Some claim) || stake slot claim
  | Some there as old ->
      if there.round = claim.round && before claim there then
        if Atomic.compare_and_set slot old (Some claim) then false
        else stake slot claim
      else false

(* {1 Start times of vertices} *)

(* The round of each vertex, and the urgency within the round: the difference between the
   longest of all exponentially distributed head starts and the vertex's own. *)
let starts (module F : Program.Fork) n beta =
  let head_start v =
    let uniform = float_of_int (Rng.below 0x3fffffff v + 1) /. 0x1p30 in
    -.log uniform /. beta
  in
  let most = F.map_reduce 0 n ~map:head_start ~combine:Float.max ~init:0. in
  F.Array.init n (fun v ->
      let round, fraction =
        let late = most -. head_start v in
        (int_of_float late, late -. Float.of_int (int_of_float late))
      in
      (round, int_of_float (fraction *. 0x1p30)))

(* The vertices sorted by start round: [order], cut at [bounds]. *)
let by_round starts =
  let n = Array.length starts in
  let rounds = 1 + Array.fold_left (fun r (r', _) -> Int.max r r') 0 starts in
  let bounds = Array.make (rounds + 1) 0 in
  Array.iter (fun (r, _) -> bounds.(r + 1) <- bounds.(r + 1) + 1) starts;
  for r = 1 to rounds do
    bounds.(r) <- bounds.(r) + bounds.(r - 1)
  done;
  let next = Array.copy bounds in
  let order = Array.make n 0 in
  Array.iteri
    (fun v (r, _) ->
      order.(next.(r)) <- v;
      next.(r) <- next.(r) + 1)
    starts;
  (order, bounds)

(* {1 Rounds} *)

type state = {
  graph : Graph.t;
  slots : claim option Atomic.t array;
  starts : (int * int) array;
}

let claim_of s v =
  match Atomic.get s.slots.(v) with
  | Some claim -> claim
  | None -> invalid_arg "Clusters.claim_of: not claimed"

(* [start] and [reach] return the vertex if the claim is its first one, or -1. *)
let start s round v =
  let claim = { round; centre = v; urgency = snd s.starts.(v); from = v } in
  if stake s.slots.(v) claim then v else -1

let reach s round u w =
  match Atomic.get s.slots.(w) with
  | Some there when there.round < round -> -1
  | Some _ | None ->
      let { centre; urgency; _ } = claim_of s u in
      if stake s.slots.(w) { round; centre; urgency; from = u } then w else -1

(* The newly claimed neighbours of the frontier. Each candidate has a slot of its own. *)
let next_frontier (module F : Program.Fork) s round frontier starting =
  let sizes = F.Array.map (Graph.degree s.graph) frontier in
  let offsets, total = F.Array.scan ( + ) 0 sizes in
  let own = Array.length starting in
  let found = Array.make (total + own) (-1) in
  let expand i =
    let u = frontier.(i) in
    for k = 0 to sizes.(i) - 1 do
      found.(offsets.(i) + k) <- reach s round u (Graph.neighbour s.graph u k)
    done
  in
  let (), () =
    F.both
      (fun () -> F.for_ 0 (Array.length frontier) expand)
      (fun () ->
        F.for_ 0 own (fun i -> found.(total + i) <- start s round starting.(i)))
  in
  F.Array.filter (fun v -> v >= 0) found

let grow (module F : Program.Fork) graph ~beta =
  let n = Graph.vertices graph in
  let starts = starts (module F) n beta in
  let order, bounds = by_round starts in
  let slots = F.Array.init n (fun _ -> Atomic.make None) in
  let s = { graph; slots; starts } in
  let rounds = Array.length bounds - 1 in
  let rec go round frontier =
    if round < rounds || Array.length frontier > 0 then
      let starting =
        if round >= rounds then [||]
        else Array.sub order bounds.(round) (bounds.(round + 1) - bounds.(round))
      in
      go (round + 1) (next_frontier (module F) s round frontier starting)
  in
  go 0 [||];
  F.Array.init n (claim_of s)
