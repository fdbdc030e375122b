type kind = Time | Probe | Load
type size = { n : int; cutoffs : int list }

type t = {
  name : string;
  about : string;
  kind : kind;
  cutoff_is : string;
  families : string list;
  every_workers : bool;
  full : size list;
  quick : size list;
}

let plain = "plain"
let general = "general"

let bench ?(families = [ plain; general ]) name about cutoff_is full quick =
  let sizes = List.map (fun (n, cutoffs) -> { n; cutoffs }) in
  {
    name;
    about;
    kind = Time;
    cutoff_is;
    families;
    every_workers = true;
    full = sizes full;
    quick = sizes quick;
  }

let probe ?(families = [ general ]) ?(every_workers = false) name about full
    quick =
  let size n = [ { n; cutoffs = [ 0 ] } ] in
  {
    name;
    about;
    kind = Probe;
    cutoff_is = "";
    families;
    every_workers;
    full = size full;
    quick = size quick;
  }

let million = 1_000_000

let forking =
  [
    bench "fib" "naive Fibonacci, plain code below the cut-off"
      "sequential below n ="
      [ (40, [ 10; 15; 20; 25 ]) ]
      [ (30, [ 12; 20 ]) ];
    bench "fib_nocutoff" "naive Fibonacci, a fork for every addition" ""
      [ (30, [ 0 ]); (38, [ 0 ]) ]
      [ (24, [ 0 ]) ];
    bench "skynet" "a tree of ten children a node, forked by halves, no cut-off"
      ""
      [ (million, [ 0 ]) ]
      [ (10_000, [ 0 ]) ];
    bench "skynet_async" "the same tree, a task and an await for every node" ""
      [ (million, [ 0 ]) ]
      [ (10_000, [ 0 ]) ];
    bench "nqueens" "all solutions; a fork for every free place" "forked rows"
      [ (12, [ 4; 12 ]) ]
      [ (9, [ 4 ]) ];
  ]

let looping =
  [
    bench "iota" "a loop that writes its index" "iterations in a chunk"
      [ (10 * million, [ 100; 1000; 10_000; 100_000; 0 ]) ]
      [ (2 * million, [ 1000; 0 ]) ];
    bench "for_irregular" "a loop whose iteration i computes fib i"
      "iterations in a chunk"
      [ (40, [ 1; 2; 4; 8 ]) ]
      [ (32, [ 1 ]) ];
    bench "lu" "LU factorisation, a parallel loop for every column"
      "rows in a chunk"
      [ (1000, [ 1; 4; 16; 64; 0 ]) ]
      [ (250, [ 16 ]) ];
    bench "matmul" "matrix product, the outer loop being parallel"
      "rows in a chunk"
      [ (600, [ 1; 8; 32; 128; 0 ]) ]
      [ (200, [ 8 ]) ];
    bench "primes" "primes below n by a segmented sieve" "numbers in a segment"
      [ (20 * million, [ 65536 ]) ]
      [ (2 * million, [ 65536 ]) ];
  ]

let reducing =
  let at cutoff full quick =
    ([ (full, [ cutoff ]) ], [ (quick, [ cutoff ]) ])
  in
  let bench name about unit_ (full, quick) =
    bench name about unit_ full quick
  in
  [
    bench "msort" "merge sort of integers, parallel merges" "integers"
      (at 4096 (2 * million) (200 * 1000));
    bench "mcss" "maximum contiguous subsequence sum" "integers"
      (at 65536 (20 * million) million);
    bench "wc" "words and lines of a text" "characters"
      (at 65536 (50 * million) million);
    bench "tokens" "the places of a text's words" "characters"
      (at 65536 (20 * million) million);
    bench "dedup" "distinct words of a text" "words"
      (at 16384 (10 * million) (500 * 1000));
    bench "linefit" "least squares through n points" "points"
      (at 65536 (10 * million) million);
  ]

let probes =
  [
    probe "idle" "processor time used while one task sleeps n ms" 1000 250;
    probe "wakeup" "async to the task's start on a sleeping worker" 200 20;
    probe "wakeup_fork" "both to the second branch on a sleeping worker" 200 20;
    probe "memory_fib" "fib n with cut-off 5: peak memory" 40 24;
    probe "chain_map" "futures, each mapped from the one before" million 10_000;
    probe "chain_await" "tasks, each awaiting the one before" million 10_000;
  ]

let passing =
  let families = [ "messages" ] in
  [
    bench ~families "messages" "n messages from one task to another" ""
      [ (200_000, [ 0 ]) ]
      [ (10_000, [ 0 ]) ];
    bench ~families "messages_apart"
      "the same, the tasks on two domains that share no work" ""
      [ (200_000, [ 0 ]) ]
      [ (10_000, [ 0 ]) ];
    bench ~families "ping_pong"
      "n messages there and back between two tasks that take turns" ""
      [ (50_000, [ 0 ]) ]
      [ (2_000, [ 0 ]) ];
    bench ~families "ping_pong_apart"
      "the same, the tasks on two domains that share no work" ""
      [ (50_000, [ 0 ]) ]
      [ (2_000, [ 0 ]) ];
    probe ~families "cancel_cost"
      "n items among n/5 tasks: time, and its growth with 10, 20, 30 % of them \
       cancelled"
      50_000 5_000;
  ]

let servers =
  let load name about what full quick =
    let size (n, cutoffs) = { n; cutoffs } in
    {
      name;
      about;
      kind = Load;
      cutoff_is = what;
      families = [];
      every_workers = true;
      full = [ size full ];
      quick = [ size quick ];
    }
  in
  [
    load "fibserver"
      "an HTTP server computes fib n, requests at a constant rate"
      "requests per second"
      (30, [ 50; 100; 200; 300; 400; 500 ])
      (25, [ 100 ]);
    load "fibserver_mixed"
      "requests for fib 10 at a constant rate, beside one fib n after the other"
      "requests per second"
      (38, [ 50; 100; 200 ])
      (32, [ 100 ]);
    load "fibserver_wrk" "the same, as fast as answers come (wrk)" "connections"
      (30, [ 1; 8; 64 ])
      (25, [ 8 ]);
    load "ticker" "the longest gap in a 1 ms ticker beside one fib n, 10 times"
      "" (40, [ 0 ]) (32, [ 0 ]);
  ]

let locking =
  [
    bench ~families:[ "locks" ] "sync_lock"
      "a mutex handed over n times between contenders" "contenders"
      [ (400_000, [ 1; 2; 4; 16; 64 ]) ]
      [ (20_000, [ 1; 4 ]) ];
  ]

(* The scheduling framework: costs of its operations. *)
let switching =
  let families = [ "switching" ] in
  [
    bench ~families "sched_switch" "n yields of fibers that take turns" "fibers"
      [ (300_000, [ 2; 100 ]) ]
      [ (20_000, [ 2 ]) ];
    bench ~families "sched_spawn"
      "n fibers that end at once, some made before the first is waited for"
      "made at a time"
      [ (50_000, [ 1; 100 ]) ]
      [ (5_000, [ 100 ]) ];
    bench ~families "sched_forward"
      "n yields under nested actions that pass them on" "nested actions"
      [ (300_000, [ 0; 1; 2; 4 ]) ]
      [ (20_000, [ 0; 1; 4 ]) ];
    bench ~families "sched_together"
      "n fibers under a scheduler of all workers, made by one of them"
      "yields of each"
      [ (1_000, [ 1000 ]); (million, [ 0 ]) ]
      [ (1_000, [ 10 ]) ];
  ]

let preempting =
  let families = [ "preempting" ] in
  [
    probe ~families ~every_workers:true "sched_periodic"
      "how late a fiber of every 10 ms is beside 4 that compute, for n ms" 3000
      500;
    bench ~families "preempt_cost" "4 fibers that each compute fib 20 n times"
      ""
      [ (8_000, [ 0 ]) ]
      [ (200, [ 0 ]) ];
  ]

let binding =
  [
    bench ~families:[ plain; "pval" ] "sched_fib"
      "naive Fibonacci, a parallel binding for every addition" ""
      [ (29, [ 0 ]); (35, [ 0 ]) ]
      [ (24, [ 0 ]) ];
  ]

let speculating =
  [
    bench ~families:[ plain; "speculating" ] "queens_por"
      "some solution of n queens, the other searches cancelled" "rows"
      [ (20, [ 1; 2; 3 ]) ]
      [ (12, [ 2 ]) ];
  ]

(* Scheduling policies: a hub for each policy. *)
let meeting =
  [
    bench ~families:[ "barriers" ] "barriers"
      "threads that compute 20 us and meet, n times, as in the NAS benchmarks"
      "threads"
      [ (2_000, [ 2; 3; 4; 16 ]) ]
      [ (100, [ 3 ]) ];
    bench ~families:[ "barriers" ] "barriers_beside"
      "a thread for each worker, as above, beside others that compute for long"
      "others"
      [ (50, [ 1; 2; 4; 8 ]) ]
      [ (5, [ 3 ]) ];
  ]

(* Table 1 of Manticore's paper. *)
let applied =
  let bench = bench ~families:[ plain; "applied" ] in
  [
    bench "raytracer" "a picture of n by n pixels, ten spheres, brute force" ""
      [ (1024, [ 0 ]) ]
      [ (64, [ 0 ]) ];
    bench "barnes_hut" "forces between n bodies by a tree made on one worker"
      "bodies"
      [ (30_000, [ 64 ]) ]
      [ (1_000, [ 16 ]) ];
    bench "sched_msort" "merge sort, merges on one worker" "integers"
      [ (1 lsl 18, [ 1024 ]) ]
      [ (1 lsl 12, [ 256 ]) ];
    bench "bitonic" "Batcher's bitonic sort" "integers"
      [ (1 lsl 18, [ 1024 ]) ]
      [ (1 lsl 12, [ 256 ]) ];
  ]

(* Growth and contention; [--growth] or a name selects them. *)
let growth =
  let families = [ Grows.family ] in
  let at sizes = List.map (fun n -> (n, [ 0 ])) sizes in
  let growing (name, about) =
    bench ~families name about "" (at Grows.sizes) (at Grows.quick_sizes)
  in
  List.map growing Grows.growing

let contention =
  let families = [ Grows.family ] in
  let contended (name, about) =
    bench ~families name about "tasks"
      [ (Grows.operations, Grows.tasks) ]
      [ (Grows.quick_operations, Grows.quick_tasks) ]
  in
  List.map contended Grows.contended

let each_operation = passing @ locking @ switching
let counts_operations b = List.exists (fun o -> o.name = b.name) each_operation

let all =
  forking @ looping @ reducing @ probes @ each_operation @ preempting @ binding
  @ applied @ speculating @ meeting @ servers

let find name =
  List.find_opt (fun b -> b.name = name) (all @ growth @ contention)

let about name = match find name with Some b -> b.about | None -> ""
let five = [ "fib"; "iota"; "for_irregular"; "lu"; "matmul" ]

let forks b n =
  match b.name with
  | "fib_nocutoff" | "sched_fib" -> Some (Bench_plain.Fib.forks n)
  | _ -> None
