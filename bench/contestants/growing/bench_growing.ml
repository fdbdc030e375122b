open Bench_core

let grown (name, job) = (name, Peak.job job)

let contestant ?(parallel = true) name about jobs =
  {
    Contestant.name;
    about;
    parallel;
    start =
      (fun ~workers -> { jobs = jobs ~workers; probes = []; stop = ignore });
  }

(* {1 Dromos's structures} *)

let structures =
  let open Dromos in
  {
    Contended.mutex =
      (fun () ->
        let m = Mutex.create () in
        ((fun () -> Mutex.lock m), fun () -> Mutex.unlock m));
    channel =
      (fun capacity ->
        let c = Channel.create ~capacity () in
        ((fun x -> Channel.send c x), fun () -> Channel.recv c));
    semaphore =
      (fun n ->
        let s = Semaphore.create n in
        ((fun () -> Semaphore.acquire s), fun () -> Semaphore.release s));
    barrier =
      (fun parties ->
        let b = Barrier.create parties in
        fun () -> ignore (Barrier.wait b : bool));
  }

let fibers ~workers parties =
  Dromos.run ~workers (fun () ->
      Dromos.Scope.run (fun s -> List.iter (Dromos.Scope.fork s) parties))

let dromos ~workers =
  List.map grown (Grown.jobs ~workers @ Crowds.jobs ~workers)
  @ Contended.jobs structures ~together:(fibers ~workers)

let threads ~workers =
  (if workers = 1 then List.map grown Threaded.growing else [])
  @ Threaded.contended ~workers

let contestants =
  [
    contestant "dromos-growth" "fibers, and the structures of dromos.sync"
      dromos;
    contestant ~parallel:false "plain-growth"
      "the standard library, no tasks at all" (fun ~workers:_ ->
        List.map grown Plainly.jobs);
    contestant "threads-growth"
      "systhreads, Stdlib.Mutex, Condition and Semaphore; two domains at most"
      threads;
  ]
