open Bench_turns
module Sched = Dromos.Sched
module Scope = Dromos.Scope

(* A scheduler of the framework: how to run inside the scheduler, and how to
   give it a fiber. *)
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

(* An action that passes every signal on, and continues when its turn comes. *)
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

(* A fiber of [Fifo] has no end to wait for; the program waits for the run, or
   for a latch. *)
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

(* {1 Several workers} *)

(* The ways to run inside a scheduler, and to make the i-th fiber there. *)
type several =
  | Several :
      (('t -> unit) -> unit) * ('t -> int -> (unit -> unit) -> unit)
      -> several

let shared_priority =
  Several
    ( (fun body -> Sched.Priority.run body),
      fun t i f -> Sched.Priority.spawn t ~priority:(i land 7) f )

let shared_deadline =
  let deadline i = 1. +. float (i * 7919 mod 10007) in
  Several
    ( (fun body -> Sched.Deadline.run body),
      fun t i f -> Sched.Deadline.spawn t ~deadline:(deadline i) f )

let shared_bounded ~workers =
  Several
    ( (fun body -> Sched.Bounded.run ~at_most:workers body),
      fun t _ f -> Sched.Bounded.spawn t f )

let stealing =
  Several
    ((fun body -> Sched.Stealing.run body), fun () _ f -> Sched.Stealing.spawn f)

let round_robin_several =
  Several
    ( (fun body -> Sched.Round_robin.run body),
      fun () _ f -> Sched.Round_robin.spawn f )

(* n fibers that yield a few times each, all made by one fiber. *)
let together ~workers (Several (run, spawn)) ~n ~cutoff:yields () =
  let ended = Atomic.make 0 in
  let fiber () =
    for _ = 1 to yields do
      Sched.yield ()
    done;
    Atomic.incr ended
  in
  Dromos.run ~workers (fun () ->
      run (fun t ->
          for i = 1 to n do
            spawn t i fiber
          done));
  fun () -> Atomic.get ended

let several name about scheduler =
  {
    Bench_core.Contestant.name;
    about;
    parallel = true;
    start =
      (fun ~workers ->
        let job = together ~workers (scheduler ~workers) in
        { jobs = [ ("sched_together", job) ]; probes = []; stop = ignore });
  }

let on_several_workers =
  [
    several "sched-priority-n" "Sched.Priority, 8 priorities, all vprocs"
      (fun ~workers:_ -> shared_priority);
    several "sched-deadline-n" "Sched.Deadline, all vprocs" (fun ~workers:_ ->
        shared_deadline);
    several "sched-bounded-n" "Sched.Bounded, a place for each vproc"
      shared_bounded;
    several "sched-rr-n" "Sched.Round_robin, all vprocs" (fun ~workers:_ ->
        round_robin_several);
    several "sched-stealing-n" "Sched.Stealing, all vprocs" (fun ~workers:_ ->
        stealing);
  ]

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
  @ on_several_workers
