open Bench_turns
module Sched = Dromos.Sched
module Scope = Dromos.Scope

(* A scheduler of the framework: how to be inside it, and give it a fiber. *)
type framework =
  | Framework :
      (('t -> unit) -> unit) * ('t -> Sched.fiber -> unit)
      -> framework

let root =
  Framework ((fun body -> body ()), fun () fiber -> Sched.Vproc.enq fiber)

let round_robin =
  Framework ((fun f -> Sched.Round_robin.run f), fun () -> Sched.Vproc.enq)

let priority =
  Framework
    ( (fun body -> Sched.Priority.run body),
      fun t fiber -> Sched.Priority.give t fiber )

let at_once give wrap fs =
  Scope.run (fun _ -> List.iter (fun f -> give (wrap (Sched.fiber f))) fs)

let kit (Framework (run, give)) =
  let giver = ref ignore in
  {
    run =
      (fun f ->
        Dromos.run ~workers:1 (fun () ->
            let result = ref None in
            run (fun t ->
                giver := give t;
                result := Some (f ()));
            Option.get !result));
    together = (fun fs -> at_once !giver Fun.id fs);
    yield = Sched.yield;
  }

(* An action that passes every signal on, and goes on when it is its turn. *)
let rec pass =
  lazy
    (Sched.action ~name:"pass" (function
      | Sched.Stop -> Sched.stop
      | Sched.Preempt k ->
          Sched.atomic_yield ();
          Sched.run (Lazy.force pass) k))

let rec nest depth fiber =
  if depth = 0 then fiber
  else
    let instance () = Sched.run (Lazy.force pass) fiber in
    nest (depth - 1) (Sched.scheduler ~name:"pass" instance)

let forward (Framework (run, give)) ~n ~cutoff:depth () =
  let count = ref 0 in
  let fiber () =
    for _ = 1 to n do
      Sched.yield ();
      incr count
    done
  in
  Dromos.run ~workers:1 (fun () ->
      run (fun t -> at_once (give t) (nest depth) [ fiber ]));
  fun () -> !count

let of_framework name about framework =
  contestant name about
    (("sched_forward", forward framework) :: jobs (kit framework))

let tasks =
  {
    run = (fun f -> Dromos.run ~workers:1 f);
    together = (fun fs -> Scope.run (fun s -> List.iter (Scope.fork s) fs));
    yield = Dromos.yield;
  }

(* Its fibers have no end to wait for but that of the run, or a latch. *)
let fifo =
  let module Fifo = Dromos.Fifo in
  let module Latch = Dromos.Latch in
  let together fs =
    let latch = Latch.create (List.length fs) in
    let fiber f () =
      f ();
      Latch.count_down latch
    in
    List.iter (fun f -> ignore (Fifo.fork (fiber f) : Fifo.handle)) fs;
    Latch.wait latch
  in
  { run = (fun f -> Fifo.run f); together; yield = Fifo.yield }

let threads =
  let together fs =
    List.iter Thread.join (List.map (fun f -> Thread.create f ()) fs)
  in
  { run = (fun f -> f ()); together; yield = Thread.yield }

let contestants =
  [
    of_framework "sched-root" "Sched.fiber on a vproc's queue, no scheduler"
      root;
    of_framework "sched-rr" "Sched.fiber under Sched.Round_robin" round_robin;
    of_framework "sched-priority" "Sched.fiber under Sched.Priority" priority;
    contestant "dromos-tasks" "Scope.fork and Dromos.yield" (jobs tasks);
    contestant "dromos-fifo-fibers" "Dromos.Fifo, on one thread" (jobs fifo);
    contestant "systhreads" "Thread.create and Thread.yield, on one domain"
      (jobs threads);
  ]
