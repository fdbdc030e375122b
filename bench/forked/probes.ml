open Sched

(* Waits, without blocking, for an action of another worker. Gives up after a
   while, since a scheduler need not run a task on another worker. *)
let spin_until ~seconds test =
  let until = Bench_core.Usage.now () +. seconds in
  while (not (test ())) && Bench_core.Usage.now () < until do
    Domain.cpu_relax ()
  done

(* One task sleeps in the operating system; the figures tell the processor time
   of all other workers. *)
let idle pool ~n =
  run pool (fun ctx ->
      let started = Atomic.make false in
      let p =
        async ctx (fun _ ->
            Atomic.set started true;
            Unix.sleepf (float_of_int n /. 1000.))
      in
      spin_until ~seconds:0.05 (fun () -> Atomic.get started);
      let cpu = Bench_core.Usage.cpu () and wall = Bench_core.Usage.now () in
      await ctx p;
      let cpu = Bench_core.Usage.cpu () -. cpu in
      let wall = Bench_core.Usage.now () -. wall in
      [ ("cpu_s", cpu); ("wall_s", wall) ])

let percentile sorted p =
  let n = Array.length sorted in
  sorted.(min (n - 1) (int_of_float (p *. float_of_int n)))

let latencies count one =
  let all = Array.init count (fun _ -> one ()) in
  let woken = Array.of_seq (Seq.filter_map Fun.id (Array.to_seq all)) in
  Array.sort Float.compare woken;
  let lost = float_of_int (count - Array.length woken) in
  if woken = [||] then [ ("lost", lost) ]
  else
    [
      ("p50_us", percentile woken 0.5);
      ("p99_us", percentile woken 0.99);
      ("max_us", woken.(Array.length woken - 1));
      ("lost", lost);
    ]

let us seconds = 1e6 *. seconds

(* The time from [async] to the first instruction of the task, on a worker that
   has been idle for 10 ms. [lost]: the other worker did not come within 100 ms,
   so the forking worker ran the task. *)
let wakeup pool ~n =
  run pool (fun ctx ->
      latencies n (fun () ->
          Unix.sleepf 0.01;
          let at = Atomic.make 0. in
          let now = Bench_core.Usage.now () in
          let p =
            async ctx (fun _ -> Atomic.set at (Bench_core.Usage.now ()))
          in
          spin_until ~seconds:0.1 (fun () -> Atomic.get at <> 0.);
          let woken = Atomic.get at in
          await ctx p;
          if woken = 0. then None else Some (us (woken -. now))))

(* The time from [both] to its second branch, while the first branch is busy. *)
let wakeup_fork pool ~n =
  run pool (fun ctx ->
      latencies n (fun () ->
          Unix.sleepf 0.01;
          let at = Atomic.make 0. in
          let now = Bench_core.Usage.now () in
          let woken, () =
            both ctx
              (fun _ ->
                spin_until ~seconds:0.1 (fun () -> Atomic.get at <> 0.);
                Atomic.get at)
              (fun _ -> Atomic.set at (Bench_core.Usage.now ()))
          in
          if woken = 0. then None else Some (us (woken -. now))))

let timed f =
  let wall = Bench_core.Usage.now () and cpu = Bench_core.Usage.cpu () in
  let result = f () in
  let cpu = Bench_core.Usage.cpu () -. cpu in
  (result, [ ("wall_s", Bench_core.Usage.now () -. wall); ("cpu_s", cpu) ])

let expect what n result =
  if result <> n then
    failwith (Printf.sprintf "%s: %d instead of %d" what result n)

(* Each task awaits the task before. All tasks are made before the first may
   end, or within a second: the first task may run on the only worker. *)
let chain_await pool ~n =
  let result, figures =
    timed (fun () ->
        run pool (fun ctx ->
            let gate = Atomic.make false in
            let first =
              async ctx (fun _ ->
                  spin_until ~seconds:1. (fun () -> Atomic.get gate);
                  0)
            in
            let last = ref first in
            for _ = 1 to n do
              let before = !last in
              last := async ctx (fun ctx -> 1 + await ctx before)
            done;
            Atomic.set gate true;
            await ctx !last))
  in
  expect "chain_await" n result;
  figures

let chain_map map pool ~n =
  let result, figures = timed (fun () -> map pool n) in
  expect "chain_map" n result;
  figures

(* Peak memory of many small forks; the driver adds the peak to every row. *)
let memory_fib pool ~n =
  let result, figures =
    timed (fun () -> run pool (fun ctx -> Forks.fib_cutoff ctx 5 n))
  in
  expect "memory_fib" (Bench_plain.Fib.fib n) result;
  figures

let all =
  [
    ("idle", idle);
    ("wakeup", wakeup);
    ("wakeup_fork", wakeup_fork);
    ("memory_fib", memory_fib);
    ("chain_await", chain_await);
  ]
  @ Option.fold ~none:[]
      ~some:(fun map -> [ ("chain_map", chain_map map) ])
      map_chain
