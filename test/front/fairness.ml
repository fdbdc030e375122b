(* Every ready fiber or task begins, whatever other fibers yield, wake or spawn:
   lib/fiber/turns. Each scenario ends only if the awaited fiber or task
   begins. *)

open Dromos

let until flag f =
  while not !flag do
    f ()
  done

let polls flag = until flag yield
let computes flag = until flag ignore
let sets flag () = flag := true
let all_set flags () = List.for_all (fun flag -> !flag) flags

(* Two tasks compute until both have begun, beside a polling first fiber. *)
let computing_tasks () =
  let begun = [ ref false; ref false ] in
  let task mine () =
    mine := true;
    while not (all_set begun ()) do
      ()
    done
  in
  let tasks = List.map (fun mine -> async (task mine)) begun in
  while not (List.for_all Promise.is_resolved tasks) do
    yield ()
  done

(* Every worker has a polling fiber until the last task has begun. *)
let polling_fibers () =
  let flag = ref false in
  Scope.run (fun scope ->
      Scope.fork scope (sets flag);
      for _ = 2 to workers () do
        Scope.fork scope (fun () -> polls flag)
      done;
      polls flag)

(* The fiber's own second branch, and the second branches around it. *)
let latent_branches () =
  let a = ref false and b = ref false and c = ref false in
  let inner () =
    while not (!a && !b && !c) do
      yield ()
    done
  in
  ignore
    (both (fun () -> both (fun () -> both inner (sets a)) (sets b)) (sets c))

(* Frames come and go above the awaited frame. *)
let latent_below_others () =
  let flag = ref false in
  let busy () = until flag (fun () -> ignore (both yield yield)) in
  ignore (both busy (sets flag))

let many_latent () =
  let left = Atomic.make 64 in
  let one _ =
    ignore
      (both
         (fun () ->
           while Atomic.get left > 0 do
             yield ()
           done)
         (fun () -> Atomic.decr left))
  in
  Scope.run (fun scope ->
      for i = 1 to 64 do
        Scope.fork scope (fun () -> one i)
      done)

(* A branch of a computing fiber, and a worker with a fiber to poll. *)
let latent_elsewhere () =
  let flag = ref false in
  let forks () = ignore (both (fun () -> computes flag) (sets flag)) in
  let forked = async forks in
  while not (Promise.is_resolved forked) do
    yield ()
  done

(* Each task starts the next task and ends; [old] lies below all of them. *)
let rec chain scope flag () =
  if not !flag then Scope.fork scope (chain scope flag)

let below_a_chain () =
  let flag = ref false in
  Scope.run (fun scope ->
      Scope.fork scope (sets flag);
      Scope.fork scope (chain scope flag))

(* Several tasks lie below; each starts a chain of its own. *)
let below_chains () =
  let last = ref false in
  Scope.run (fun scope ->
      Scope.fork scope (sets last);
      for _ = 1 to 8 do
        Scope.fork scope (chain scope last)
      done)

let chain_of_promises () =
  let flag = ref false in
  let rec next () = if not !flag then ignore (async next : unit Promise.t) in
  ignore (async (sets flag) : unit Promise.t);
  next ()

(* A task made by a computing fiber, while the other worker has a chain to
   run. *)
let chain_beside_computing () =
  let flag = ref false and started = ref false in
  Scope.run (fun scope ->
      let computing () =
        Scope.fork scope (sets flag);
        started := true;
        computes flag
      in
      Scope.fork scope computing;
      until started yield;
      chain scope flag ())

(* The polling fibers only wait for wake-ups of each other. *)
let below_wake_ups () =
  let flag = ref false in
  let there = Channel.create () and back = Channel.create () in
  Scope.run (fun scope ->
      Scope.fork scope (sets flag);
      Scope.fork scope (fun () ->
          while Channel.recv there do
            Channel.send back ()
          done);
      until flag (fun () ->
          Channel.send there true;
          Channel.recv back);
      Channel.send there false)

(* Work from a thread of the program, beside a chain and yielding fibers. *)
let from_outside () =
  let flag = ref false in
  Scope.run (fun scope ->
      for _ = 1 to workers () do
        Scope.fork scope (fun () -> polls flag);
        Scope.fork scope (chain scope flag)
      done;
      let ready = Promise.create () in
      let thread = Thread.create (fun () -> Promise.resolve ready ()) () in
      Promise.await ready;
      flag := true;
      Thread.join thread)

let scenarios =
  [
    ("computing tasks beside a poll", [ 2; 3 ], computing_tasks);
    ("polling fibers", [ 1; 2; 3 ], polling_fibers);
    ("latent branches", [ 1; 2; 3 ], latent_branches);
    ("latent below others", [ 1; 2; 3 ], latent_below_others);
    ("many latent branches", [ 1; 2; 3 ], many_latent);
    ("latent elsewhere", [ 2; 3 ], latent_elsewhere);
    ("below a chain", [ 1; 2 ], below_a_chain);
    ("below chains", [ 1; 2 ], below_chains);
    ("below a chain of promises", [ 1; 2 ], chain_of_promises);
    ("chain beside computing", [ 2 ], chain_beside_computing);
    ("below wake-ups", [ 1; 2 ], below_wake_ups);
    ("from outside", [ 1; 2; 3 ], from_outside);
  ]

let case hub (name, workers, scenario) =
  Watch.case
    (Printf.sprintf "%s, %s" name (Hub.name hub))
    (fun () ->
      List.iter
        (fun workers ->
          for _ = 1 to 3 do
            run ~workers ~hub scenario
          done)
        workers)

(* {1 Limits of fairness} *)

(* The counts, on one worker, are the same in each run. Older branches seldom
   begin before new branches are over; otherwise the memory would hold all parts
   of a divided problem at once. *)
let depth_first () =
  let rec fib n =
    if n < 2 then n
    else
      let later = async (fun () -> fib (n - 2)) in
      let sooner = fib (n - 1) in
      sooner + await later
  in
  ignore (run ~workers:1 (fun () -> fib 23) : int);
  let { suspensions; _ } = stats () in
  Watch.check Alcotest.bool
    (Printf.sprintf "46367 tasks, %d suspensions" suspensions)
    true (suspensions < 500)

let yields_in_branches () =
  let rec fib n =
    yield ();
    if n < 2 then n
    else
      let a, b = both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
      a + b
  in
  ignore (run ~workers:1 (fun () -> fib 20) : int);
  let { promotions; _ } = stats () in
  Watch.check Alcotest.bool
    (Printf.sprintf "21891 yields, %d branches published" promotions)
    true (promotions < 300)

(* A fiber computes until a sleeping fiber has had its turn. *)
let preempted () =
  let flag = ref false in
  run ~workers:1 ~preempt:true (fun () ->
      Scope.run (fun scope ->
          Scope.fork scope (fun () ->
              sleep 0.01;
              flag := true);
          Scope.fork scope (fun () -> computes flag)))

let cases =
  List.concat_map (fun hub -> List.map (case hub) scenarios) Hub.all
  @ [
      Watch.case "depth first all the same" depth_first;
      Watch.case "yields in branches" yields_in_branches;
      Watch.case "preempted" preempted;
    ]
