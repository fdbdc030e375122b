(* Threads that compute and meet, as in the NAS benchmarks: if one thread waits
   for its core behind another thread, all threads wait for the first. *)

open Bench_core
module Barrier = Dromos_sync.Barrier

(* Some 20 us of arithmetic, more or less by a fifth, that the compiler cannot
   remove. *)
let compute chance =
  let steps = 8_000 + Random.State.int chance 4_000 in
  let x = ref 1 in
  for _ = 1 to steps do
    x := !x lxor (!x lsl 13);
    x := !x lxor (!x lsr 7);
    x := !x lxor (!x lsl 17)
  done;
  !x

(* [threads] fibers meet [n] times each; the result counts the meetings of each
   fiber. *)
let meetings ~n threads =
  let sums = Array.make threads 0 in
  let barrier = Barrier.create threads in
  let thread i () =
    let chance = Random.State.make [| i |] in
    for _ = 1 to n do
      if compute chance <> 0 then sums.(i) <- sums.(i) + 1;
      ignore (Barrier.wait barrier : bool)
    done
  in
  ignore (Dromos.all (List.init threads thread) : unit list);
  sums

let all_came ~n sums () = if Array.for_all (Int.equal n) sums then n else 0

let job hub ~workers ~n ~cutoff:threads () =
  let sums = Dromos.run ~workers ~hub (fun () -> meetings ~n threads) in
  all_came ~n sums

(* A fiber for each worker, beside other fibers that only compute, and yield
   once in a millisecond, until the end of the benchmark. *)
let beside_others hub ~workers ~n ~cutoff:others () =
  let stop = Atomic.make false in
  let compute_on i () =
    let chance = Random.State.make [| -i |] in
    while not (Atomic.get stop) do
      for _ = 1 to 50 do
        ignore (Sys.opaque_identity (compute chance))
      done;
      Dromos.yield ()
    done
  in
  let sums =
    Dromos.run ~workers ~hub (fun () ->
        Dromos.Scope.run (fun scope ->
            for i = 1 to others do
              Dromos.Scope.fork scope (compute_on i)
            done;
            let sums = meetings ~n workers in
            Atomic.set stop true;
            sums))
  in
  all_came ~n sums

let contestant (name, hub) =
  let start ~workers =
    let inside job ~n ~cutoff = job hub ~workers ~n ~cutoff in
    {
      Contestant.jobs =
        [ ("barriers", inside job); ("barriers_beside", inside beside_others) ];
      probes = [];
      stop = ignore;
    }
  in
  {
    Contestant.name = "barriers-" ^ name;
    about = "fibers on this hub";
    parallel = true;
    start;
  }

let contestants =
  List.map
    (fun hub -> contestant (Dromos.Hub.name hub, hub))
    (Hubs.all @ Dromos.Hub.[ fifo; std; dealing ])
