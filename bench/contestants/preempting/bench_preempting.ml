module Sched = Dromos.Sched
module Preemption = Sched.Preemption
module Usage = Bench_core.Usage

let period = 0.01
let hogs = 4

(* {1 Schedulers} *)

type fibers = {
  hog : int -> (unit -> unit) -> unit;  (** spawns the [i]th computing fiber *)
  periodic : jobs:int -> (float -> unit) -> unit;
      (** spawns the periodic fiber, and tells its function how late each period
          begins *)
}

type scheduler = { name : string; run : (fibers -> unit) -> unit }

(* If the fiber is late, the missed periods follow at once, so that each
   counts. *)
let every_period ~jobs late () =
  let first = Usage.now () in
  for job = 1 to jobs do
    let due = first +. (period *. float_of_int job) in
    let ahead = due -. Usage.now () in
    if ahead > 0. then Dromos.sleep ahead;
    late (Usage.now () -. due)
  done

let round_robin =
  let run body =
    Sched.Round_robin.run (fun () ->
        let vprocs = Array.of_list (Sched.Vproc.all ()) in
        let spawn i f =
          Sched.Round_robin.spawn ~on:vprocs.(i mod Array.length vprocs) f
        in
        let periodic ~jobs late = spawn 0 (every_period ~jobs late) in
        body { hog = spawn; periodic })
  in
  { name = "rr"; run }

let priority =
  let run body =
    Sched.Priority.run (fun t ->
        let spawn priority f = Sched.Priority.spawn t ~priority f in
        let periodic ~jobs late = spawn 1 (every_period ~jobs late) in
        body { hog = (fun _ f -> spawn 0 f); periodic })
  in
  { name = "priority"; run }

let deadline =
  let run body =
    Sched.Deadline.run (fun t ->
        let periodic ~jobs late =
          let report (job : Sched.Deadline.job) = late job.waited in
          Sched.Deadline.every t ~period ~jobs ~report ignore
        in
        body { hog = (fun _ f -> Sched.Deadline.spawn t f); periodic })
  in
  { name = "deadline"; run }

(* {1 Preemption} *)

type preemption = {
  kind : string;
  quantum : float;
  on : 'a. (unit -> 'a) -> 'a;
}

let with_ kind mode quantum =
  { kind; quantum; on = (fun f -> Preemption.run ~quantum ~mode f) }

let none = { kind = "none"; quantum = 0.; on = (fun f -> f ()) }

let preemptions =
  [
    none;
    with_ "polled-10ms" Polled 0.01;
    with_ "forced-10ms" Forced 0.01;
    with_ "forced-1ms" Forced 0.001;
  ]

let start { on; _ } { run; _ } ~workers body =
  Dromos.run ~workers (fun () ->
      on (fun () ->
          run body;
          float_of_int (Preemption.counts ()).preemptions))

(* {1 Measurements} *)

let compute_until time () =
  while Usage.now () < time do
    ignore (Sys.opaque_identity (Bench_plain.Fib.fib 12) : int)
  done

(* The periodic fiber runs for [n] milliseconds. *)
let periodic preemption scheduler ~workers ~n =
  let jobs = max 1 (int_of_float (float_of_int n /. 1000. /. period)) in
  let lateness = Array.make jobs 0. and told = ref 0 in
  let late seconds =
    lateness.(!told) <- seconds;
    incr told
  in
  let preempted =
    start preemption scheduler ~workers (fun { hog; periodic } ->
        periodic ~jobs late;
        let stop = Usage.now () +. (float_of_int n /. 1000.) in
        for i = 0 to hogs - 1 do
          hog i (compute_until stop)
        done)
  in
  if !told <> jobs then failwith "sched_periodic: some periods were left out";
  Array.sort Float.compare lateness;
  let at p =
    lateness.(min (jobs - 1) (int_of_float (p *. float_of_int jobs)))
  in
  let ms p = 1e3 *. at p in
  let quanta =
    if preemption.quantum > 0. then
      [ ("p99_quanta", at 0.99 /. preemption.quantum) ]
    else []
  in
  [ ("p50_ms", ms 0.5); ("p99_ms", ms 0.99); ("max_ms", ms 1.) ]
  @ quanta
  @ [ ("preemptions", preempted) ]

(* In pieces of some tens of microseconds: a recursive function without loops
   and allocation has no poll point. *)
let cost preemption scheduler ~workers ~n ~cutoff:_ () =
  let results = Array.make hogs 0 in
  let compute i () =
    for _ = 1 to n do
      results.(i) <- results.(i) + Bench_plain.Fib.fib (Sys.opaque_identity 20)
    done
  in
  let preempted =
    start preemption scheduler ~workers (fun { hog; _ } ->
        for i = 0 to hogs - 1 do
          hog i (compute i)
        done)
  in
  fun () ->
    Bench_core.Figures.tell "preemptions" preempted;
    Array.fold_left ( + ) 0 results

let contestant scheduler preemption =
  let start ~workers =
    {
      Bench_core.Contestant.jobs =
        [ ("preempt_cost", cost preemption scheduler ~workers) ];
      probes = [ ("sched_periodic", periodic preemption scheduler ~workers) ];
      stop = ignore;
    }
  in
  {
    Bench_core.Contestant.name = scheduler.name ^ "-" ^ preemption.kind;
    about = Printf.sprintf "%s, preemption: %s" scheduler.name preemption.kind;
    parallel = true;
    start;
  }

let contestants =
  List.concat_map
    (fun scheduler -> List.map (contestant scheduler) preemptions)
    [ round_robin; priority; deadline ]
