(* The pool on every hub, with more domains than cores: every accepted task runs
   exactly once, for any submitter and any events meanwhile. *)

open Dromos_kernel
module Hub = Dromos_hub.Hub
module Ivar = Dromos_base.Ivar

let seed =
  match Sys.getenv_opt "DROMOS_SEED" with
  | Some seed -> int_of_string seed
  | None -> Random.State.bits (Random.State.make_self_init ())

let hubs =
  Dromos_hub.
    [
      ("std", Std.maker);
      ("private", Private_.maker);
      ("dealing", Dealing.maker);
      ("fifo", Fifo.maker);
      ("hybrid", Hybrid.maker);
    ]

let make (hub : Hub.maker) workers =
  let pool =
    Pool.create ~hub:hub.make ~idle:(Atomic.make_contended 0) ~on_idle:ignore
      ~workers
  in
  Pool.start pool;
  pool

let get = function Some v -> v | None -> failwith "refused"
let check_int = Alcotest.(check int)
let close pool = Alcotest.(check bool) "close" true (Pool.close pool)

(* A counter for each task: 1 at the end, or the task was lost or doubled. *)
let counters n = Array.init n (fun _ -> Atomic.make 0)

let check_once counters =
  Array.iteri
    (fun i c ->
      if Atomic.get c <> 1 then
        Alcotest.failf "task %d ran %d times" i (Atomic.get c))
    counters

let wait_until what condition =
  let limit = Unix.gettimeofday () +. 20. in
  while not (condition ()) do
    if Unix.gettimeofday () > limit then failwith (what ^ ": waited 20 s");
    Unix.sleepf 0.001
  done

(* {1 Semantics} *)

let run_returns hub () =
  let pool = make hub 2 in
  check_int "value" 42 (get (Pool.run pool (fun _ -> 42)));
  check_int "size" 2 (get (Pool.run pool Pool.size));
  close pool;
  Alcotest.(check bool) "second close" false (Pool.close pool);
  Alcotest.(check bool) "run" true (Pool.run pool ignore = None);
  let task = Hub.task ignore in
  Alcotest.(check bool) "submit" false (Pool.submit pool Hub.New task);
  Alcotest.(check bool) "submit_to" false (Pool.submit_to pool 1 Hub.New task)

(* A run publishes tasks, and does not wait for them. *)
let close_waits hub workers () =
  let n = 1000 in
  let counters = counters n in
  let pool = make hub workers in
  get
    (Pool.run pool (fun ctx ->
         Array.iter
           (fun c ->
             Pool.async ctx (fun ctx -> Pool.async ctx (fun _ -> Atomic.incr c)))
           counters));
  close pool;
  check_once counters

(* While a closed pool still works, all its workers stay: two late tasks that
   wait for each other need two workers. *)
let close_keeps_workers hub () =
  let pool = make hub 2 in
  let met = Atomic.make 0 in
  let meet ctx =
    Atomic.incr met;
    wait_until "the other one" (fun () ->
        Pool.tick ctx;
        Atomic.get met = 2)
  in
  let root ctx =
    Unix.sleepf 0.02;
    Pool.async ctx meet;
    Pool.async ctx meet
  in
  assert (Pool.submit pool Hub.New (Hub.task root));
  close pool;
  check_int "met" 2 (Atomic.get met)

(* A caller whose task was taken by another worker does not fill role 0 of a
   closed pool: the closer's last look would miss a task taken there, and the
   caller's departure would leave behind the tasks that this task publishes.

   The caller's submission is slow, so the caller comes to role 0 after the
   closer. The caller's task still runs in role 1, which does not count as
   working, as after a thread that served the role has left. The published task
   lingers where role 0 would have taken it. *)
let closed_to_callers hub () =
  let rec linger ms condition =
    if ms > 0 && not (condition ()) then begin
      Unix.sleepf 0.001;
      linger (ms - 1) condition
    end
  in
  let flag () = Atomic.make false in
  let is_set flag () = Atomic.get flag in
  let submitting = flag () and submitted = flag () in
  let slow ~workers =
    let hub = hub.Hub.make ~workers in
    let submit reason task =
      hub.submit reason task;
      Atomic.set submitting true;
      wait_until "leave to return" (is_set submitted)
    in
    { hub with submit }
  in
  let pool =
    Pool.create ~hub:slow ~idle:(Atomic.make 0) ~on_idle:ignore ~workers:2
  in
  let counters = counters 2 in
  let first_in = flag () and taken = flag () and go_on = flag () in
  let lingers = flag () and closed = flag () in
  let child ctx =
    if Pool.worker ctx = 0 then begin
      Atomic.set lingers true;
      linger 200 (is_set closed)
    end;
    Atomic.incr counters.(0);
    Pool.async ctx (fun _ -> Atomic.incr counters.(1))
  in
  let root ctx =
    Atomic.set taken true;
    wait_until "the closer's first look" (fun () ->
        Pool.tick ctx;
        Atomic.get go_on);
    Pool.async ctx child;
    linger 20 (fun () ->
        Pool.tick ctx;
        Atomic.get lingers);
    42
  in
  let spawn = Domain.spawn in
  let first =
    spawn (fun () ->
        Pool.run pool (fun _ ->
            Atomic.set first_in true;
            wait_until "the second caller" (is_set submitting)))
  in
  wait_until "the first caller" (is_set first_in);
  let caller = spawn (fun () -> Pool.run pool root) in
  let server =
    spawn (fun () -> Pool.serve pool ~worker:1 ~until:(fun () -> false))
  in
  get (Domain.join first);
  wait_until "the server" (is_set taken);
  Pool.serve pool ~worker:1 ~until:(fun () -> true);
  let closer =
    spawn (fun () ->
        let answer = Pool.close pool in
        Atomic.set closed true;
        answer)
  in
  wait_until "the closer" (fun () ->
      not (Pool.submit_to pool 0 Hub.New (Hub.task ignore)));
  Unix.sleepf 0.005;
  Atomic.set submitted true;
  Unix.sleepf 0.005;
  Atomic.set go_on true;
  let answer = Domain.join closer in
  check_int "the caller's" 42 (get (Domain.join caller));
  Domain.join server;
  Alcotest.(check bool) "close" true answer;
  check_once counters

(* A task for an unserved role waits until a thread serves the role. *)
let unserved hub () =
  let pool =
    Pool.create ~hub:hub.Hub.make ~idle:(Atomic.make 0) ~on_idle:ignore
      ~workers:3
  in
  let ran = Atomic.make (-1) in
  let task = Hub.task (fun ctx -> Atomic.set ran (Pool.worker ctx)) in
  Alcotest.(check bool) "accepted" true (Pool.submit_to pool 2 Hub.New task);
  get
    (Pool.run pool (fun ctx ->
         let ivar = Ivar.create () in
         Pool.push ctx Hub.Yield
           (Hub.task (fun ctx -> ignore (Ivar.set ctx ivar ())));
         Pool.wait_ivar ctx ivar));
  check_int "not yet" (-1) (Atomic.get ran);
  Pool.serve pool ~worker:2 ~until:(fun () -> Atomic.get ran >= 0);
  check_int "on its worker" 2 (Atomic.get ran);
  let task = Hub.task (fun ctx -> Atomic.set ran (10 + Pool.worker ctx)) in
  ignore (Pool.submit_to pool 1 Hub.New task);
  close pool;
  check_int "closing serves it" 11 (Atomic.get ran)

let targeted hub () =
  let workers = 4 in
  let pool = make hub workers in
  let wrong = Atomic.make 0 and left = Atomic.make 300 in
  for k = 0 to 299 do
    let target = 1 + (k mod (workers - 1)) in
    let code ctx =
      if Pool.worker ctx <> target then Atomic.incr wrong;
      Atomic.decr left
    in
    assert (Pool.submit_to pool target Hub.New (Hub.task code))
  done;
  wait_until "targeted tasks" (fun () -> Atomic.get left = 0);
  close pool;
  check_int "on another worker" 0 (Atomic.get wrong)

(* With one worker, tasks present before the yield run before the yielding
   task. *)
let yield_is_last hub () =
  let pool = make hub 1 in
  let order = ref [] in
  let note k _ = order := k :: !order in
  get
    (Pool.run pool (fun ctx ->
         let ivar = Ivar.create () in
         for k = 1 to 1000 do
           Pool.async ctx (note k)
         done;
         Pool.push ctx Hub.Yield
           (Hub.task (fun ctx ->
                note 0 ctx;
                ignore (Ivar.set ctx ivar ())));
         Pool.wait_ivar ctx ivar));
  (match !order with
  | 0 :: others -> check_int "all before it" 1000 (List.length others)
  | _ -> Alcotest.fail "the yielding task was not the last");
  close pool

(* The only worker's deque is never empty: tasks from outside, targeted tasks
   and yielded tasks still run. *)
let no_starvation hub () =
  let pool = make hub 1 in
  let stop = ref false and passed = ref 0 in
  let rec busy ctx = if not !stop then Pool.async ctx busy in
  let pass _ =
    incr passed;
    if !passed = 3 then stop := true
  in
  get
    (Pool.run pool (fun ctx ->
         let ivar = Ivar.create () in
         ignore (Pool.submit pool Hub.New (Hub.task pass));
         ignore (Pool.submit_to pool 0 Hub.New (Hub.task pass));
         Pool.push ctx Hub.Yield (Hub.task pass);
         busy ctx;
         let rec watch ctx =
           if !stop then ignore (Ivar.set ctx ivar ())
           else Pool.push ctx Hub.Yield (Hub.task watch)
         in
         watch ctx;
         Pool.wait_ivar ctx ivar));
  check_int "passed" 3 !passed;
  close pool

(* {1 Stress} *)

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let rec par_fib ctx n =
  if n < 2 then n
  else
    let a = Future.async ctx (fun ctx -> par_fib ctx (n - 1)) in
    let b = par_fib ctx (n - 2) in
    Future.wait ctx a + b

let fork_join hub workers n () =
  let pool = make hub workers in
  for _ = 1 to 2 do
    check_int "fib" (fib n) (get (Pool.run pool (fun ctx -> par_fib ctx n)))
  done;
  close pool

let tiny_tasks hub workers n () =
  let pool = make hub workers in
  let sums = Array.init workers (fun _ -> Array.make 32 0) in
  let count ctx =
    let sum = sums.(Pool.worker ctx) in
    sum.(0) <- sum.(0) + 1
  in
  get
    (Pool.run pool (fun ctx ->
         for _ = 1 to n do
           Pool.async ctx count
         done));
  close pool;
  check_int "tasks" n (Array.fold_left (fun sum s -> sum + s.(0)) 0 sums);
  let { Pool.tasks; _ } = Pool.counts pool in
  check_int "counted" (n + 1) tasks

(* Callers on domains and systhreads: runs, submissions, targeted
   submissions. *)
let callers hub workers () =
  let pool = make hub workers in
  let domains = 2 and threads = 3 and each = 60 in
  let counters = counters (domains * threads * each) in
  let caller first state =
    for k = first to first + each - 1 do
      let hit _ = Atomic.incr counters.(k) in
      match Random.State.int state 4 with
      | 0 ->
          (* Alcotest's own checks are not for several domains at once. *)
          let task ctx =
            hit ctx;
            k
          in
          if get (Pool.run pool task) <> k then failwith "another result"
      | 1 ->
          get
            (Pool.run pool (fun ctx -> Future.wait ctx (Future.async ctx hit)))
      | 2 -> assert (Pool.submit pool Hub.New (Hub.task hit))
      | _ ->
          let target = Random.State.int state workers in
          assert (Pool.submit_to pool target Hub.New (Hub.task hit))
    done
  in
  let thread d t =
    let number = (d * threads) + t in
    let state = Random.State.make [| seed; number |] in
    Thread.create (fun () -> caller (number * each) state) ()
  in
  let domain d =
    Domain.spawn (fun () ->
        List.iter Thread.join (List.init threads (thread d)))
  in
  List.iter Domain.join (List.init domains domain);
  close pool;
  check_once counters

(* Submissions that race with closing: refused, or run. *)
let close_race hub workers () =
  for round = 1 to 30 do
    let pool = make hub workers in
    let n = 200 in
    let counters = counters n in
    let submit first last () =
      let accepted k =
        let task = Hub.task (fun _ -> Atomic.incr counters.(k)) in
        if k mod 3 = 0 then Pool.submit_to pool (k mod workers) Hub.New task
        else Pool.submit pool Hub.New task
      in
      let rec go k =
        if k < last then if accepted k then go (k + 1) else k else last
      in
      go first
    in
    let half = n / 2 in
    let other = Domain.spawn (submit half n) in
    let mine = ref 0 in
    let thread = Thread.create (fun () -> mine := submit 0 half ()) () in
    if round mod 2 = 0 then Thread.yield ();
    close pool;
    Thread.join thread;
    let theirs = Domain.join other in
    Array.iteri
      (fun k c ->
        let expected =
          if k < !mine || (half <= k && k < theirs) then 1 else 0
        in
        if Atomic.get c <> expected then
          Alcotest.failf "round %d: task %d ran %d times, not %d" round k
            (Atomic.get c) expected)
      counters
  done

(* Threads take and leave roles while others work: no task is lost. *)
let shifts hub () =
  let workers = 3 in
  let pool = make hub workers in
  let n = 3000 in
  let counters = counters n in
  let left = Atomic.make n in
  let rec spread lo hi ctx =
    if hi - lo = 1 then begin
      Atomic.incr counters.(lo);
      Atomic.decr left
    end
    else begin
      let mid = (lo + hi) / 2 in
      Pool.async ctx (spread lo mid);
      Pool.async ctx (spread mid hi)
    end
  in
  assert (Pool.submit pool Hub.New (Hub.task (spread 0 n)));
  while Atomic.get left > 0 do
    let steps = ref 0 in
    Pool.serve pool ~worker:0 ~until:(fun () ->
        incr steps;
        !steps > 5 || Atomic.get left = 0)
  done;
  close pool;
  check_once counters

(* {1 Sleeping} *)

(* A sleeping pool runs its new tasks, again and again. *)
let wakes_up hub workers () =
  let pool = make hub workers in
  for round = 1 to 40 do
    let done_ = Atomic.make false in
    if round mod 4 = 0 then Unix.sleepf 0.002;
    let task = Hub.task (fun _ -> Atomic.set done_ true) in
    assert (Pool.submit pool Hub.New task);
    wait_until "wake-up" (fun () -> Atomic.get done_)
  done;
  close pool

(* A loose bound: half of the time of one spinning worker. *)
let idle_burns_nothing hub () =
  let pool = make hub 4 in
  get (Pool.run pool (fun ctx -> ignore (par_fib ctx 10)));
  Unix.sleepf 0.05;
  let before = Sys.time () in
  Unix.sleepf 0.3;
  let burnt = Sys.time () -. before in
  close pool;
  if burnt > 0.15 then Alcotest.failf "%.3f s of CPU in 0.3 s of rest" burnt

(* A worker sleeps too while its task waits for an ivar. *)
let waiting_burns_nothing hub () =
  let pool = make hub 2 in
  let burnt =
    get
      (Pool.run pool (fun ctx ->
           let ivar = Ivar.create () in
           let started = Atomic.make false in
           Pool.async ctx (fun ctx ->
               Atomic.set started true;
               Unix.sleepf 0.3;
               ignore (Ivar.set ctx ivar ()));
           (* Lets the other worker take the task. *)
           wait_until "theft" (fun () ->
               Pool.tick ctx;
               Atomic.get started);
           let before = Sys.time () in
           Pool.wait_ivar ctx ivar;
           Sys.time () -. before))
  in
  close pool;
  if burnt > 0.15 then Alcotest.failf "%.3f s of CPU in 0.3 s of waiting" burnt

let () =
  Printf.printf "DROMOS_SEED=%d\n%!" seed;
  let state = Random.State.make [| seed |] in
  let workers () = 2 + Random.State.int state 4 in
  let suite (name, hub) =
    let case what f = Alcotest.test_case what `Quick f in
    let w = workers () in
    let n = 250_000 in
    ( Printf.sprintf "%s, %d workers" name w,
      [
        case "run returns, close is final" (run_returns hub);
        case "close waits" (close_waits hub w);
        case "close waits, one worker" (close_waits hub 1);
        case "close keeps the workers" (close_keeps_workers hub);
        case "a closed pool's role 0 is the closer's" (closed_to_callers hub);
        case "a role without a thread" (unserved hub);
        case "targeted tasks" (targeted hub);
        case "a yielding task is the last" (yield_is_last hub);
        case "no starvation" (no_starvation hub);
        case "fork and join" (fork_join hub w 17);
        case "fork and join, one worker" (fork_join hub 1 15);
        case "tiny tasks" (tiny_tasks hub w n);
        case "callers from everywhere" (callers hub w);
        case "callers from everywhere, one worker" (callers hub 1);
        case "submissions against closing" (close_race hub w);
        case "submissions against closing, one worker" (close_race hub 1);
        case "workers come and go" (shifts hub);
        case "wakes up" (wakes_up hub w);
        case "idle workers sleep" (idle_burns_nothing hub);
        case "waiting workers sleep" (waiting_burns_nothing hub);
      ] )
  in
  Alcotest.run "pool" (List.map suite hubs)
