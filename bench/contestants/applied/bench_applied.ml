open Bench_plain
open Bench_core
module Gang = Dromos.Sched.Gang
module Parray = Dromos.Sched.Parray
module Stealing = Dromos.Sched.Stealing

(* {1 Under a gang} *)

let raytracer ~n:size ~cutoff:_ () =
  let picture =
    Gang.run (fun () ->
        Parray.to_array (Parray.tabulate (size * size) (Raytracer.pixel ~size)))
  in
  fun () -> Checksum.ints picture

(* {1 By parallel bindings} *)

let both ctx f g =
  Stealing.Ctx.pval ctx f (fun ctx first ->
      g ctx;
      first ())

let rec each ctx cutoff f lo hi =
  if hi - lo <= cutoff then
    for i = lo to hi - 1 do
      f i
    done
  else
    let mid = (lo + hi) / 2 in
    both ctx
      (fun ctx -> each ctx cutoff f lo mid)
      (fun ctx -> each ctx cutoff f mid hi)

let barnes_hut ~n ~cutoff =
  let bodies = Bodies.random n in
  let result = Array.make (2 * n) 0. in
  fun ctx ->
    let tree = Bodies.tree bodies in
    each ctx cutoff (Bodies.accelerate bodies tree result) 0 n;
    fun () -> Checksum.floats result

let rec msort ctx cutoff a tmp lo hi =
  if hi - lo <= cutoff then Sorting.sort a tmp lo hi
  else begin
    let mid = (lo + hi) / 2 in
    both ctx
      (fun ctx -> msort ctx cutoff a tmp lo mid)
      (fun ctx -> msort ctx cutoff a tmp mid hi);
    Sorting.merge a lo mid mid hi tmp lo;
    Array.blit tmp lo a lo (hi - lo)
  end

let sort ~n ~cutoff =
  let a = Sorting.random n in
  let tmp = Array.make n 0 in
  fun ctx ->
    msort ctx cutoff a tmp 0 n;
    fun () -> Checksum.ints a

let rec bitonic_merge ctx cutoff a ~up lo n =
  if n <= cutoff then Bitonic.merge a ~up lo n
  else begin
    let half = n / 2 in
    Bitonic.exchange a ~up lo half;
    both ctx
      (fun ctx -> bitonic_merge ctx cutoff a ~up lo half)
      (fun ctx -> bitonic_merge ctx cutoff a ~up (lo + half) half)
  end

let rec bitonic_sort ctx cutoff a ~up lo n =
  if n <= cutoff then Bitonic.sort a ~up lo n
  else begin
    let half = n / 2 in
    both ctx
      (fun ctx -> bitonic_sort ctx cutoff a ~up:true lo half)
      (fun ctx -> bitonic_sort ctx cutoff a ~up:false (lo + half) half);
    bitonic_merge ctx cutoff a ~up lo n
  end

let bitonic ~n ~cutoff =
  let a = Sorting.random n in
  fun ctx ->
    bitonic_sort ctx cutoff a ~up:true 0 n;
    fun () -> Checksum.ints a

(* {1 Contestants} *)

let contestant name about jobs =
  let start ~workers =
    let inside job ~n ~cutoff =
      let body = job ~n ~cutoff in
      fun () -> Dromos.run ~workers body
    in
    {
      Contestant.jobs = List.map (fun (bench, job) -> (bench, inside job)) jobs;
      probes = [];
      stop = ignore;
    }
  in
  { Contestant.name; about; parallel = true; start }

let by_pval job ~n ~cutoff =
  let body = job ~n ~cutoff in
  fun () -> Stealing.run (fun () -> body (Stealing.Ctx.get ()))

let contestants =
  [
    contestant "sched-gang" "Gang.run, a Parray of all pixels"
      [ ("raytracer", raytracer) ];
    contestant "sched-stealing" "Stealing.Ctx.pval, plain code at the cut-off"
      [
        ("barnes_hut", by_pval barnes_hut);
        ("sched_msort", by_pval sort);
        ("bitonic", by_pval bitonic);
      ];
  ]
