(* The programs of test_deadlock, each in a process of its own: alone.exe
   SCENARIO WORKERS HUB. The test checks stdout, the exit status and the report
   on stderr. *)

module Promise = Dromos.Promise
module External = Dromos_suspend.External

let say fmt = Printf.printf (fmt ^^ "\n%!")

(* {1 Deadlocks} *)

let kept : unit Promise.t list ref = ref []

(* Keeps the promise reachable for ever: for the collector, outside code might
   resolve it. *)
let keep p =
  kept := p :: !kept;
  p

let never_resolved () =
  let p = keep (Promise.create ()) in
  Dromos.await (Dromos.async ~name:"reader" (fun () -> Promise.await p))

let crossed create =
  let a = create () and b = create () and begun = Atomic.make 0 in
  let wait name mine other =
    Dromos.async ~name (fun () ->
        Atomic.incr begun;
        Fun.protect
          (fun () -> Promise.await other)
          ~finally:(fun () -> say "%s cleans up" name);
        Promise.resolve mine ())
  in
  let left = wait "left" a b in
  let right = wait "right" b a in
  (* Waits until both tasks have fibers of their own. Otherwise [await] could run
     a task in place, on the first fiber, and the report must name both fibers. *)
  while Atomic.get begun < 2 do
    Dromos.yield ()
  done;
  Dromos.await left;
  Dromos.await right

let reachable () = keep (Promise.create ())

(* In nested scopes, protected parts and branches of forks. *)
let nested () =
  Dromos.Scope.run (fun scope ->
      let p = Promise.create () in
      Dromos.Scope.fork scope ~name:"inner" (fun () -> Promise.await p);
      ignore
        (Dromos.both (fun () -> Promise.await p) (fun () -> Dromos.yield ())))

let many () =
  let p = keep (Promise.create ()) in
  for _ = 1 to 200 do
    ignore (Dromos.async (fun () -> Promise.await p) : unit Promise.t)
  done

(* Cancellation does not reach the fiber. *)
let protected () =
  let p = keep (Promise.create ()) in
  Dromos.protect (fun () -> Promise.await p)

let protected_and_lost () =
  let p = Promise.create () in
  Dromos.protect (fun () -> Promise.await p)

(* The scope waits for a fiber that was never given to a scheduler, and the wait
   does not raise. The body fails first on any number of workers: the task fails
   when it is cancelled. *)
let failed () =
  let begun = Promise.create () in
  let task () =
    Promise.resolve begun ();
    try Promise.await (Promise.create ())
    with Dromos.Cancelled -> failwith "task"
  in
  Dromos.Scope.run (fun _ ->
      ignore (Dromos.Sched.fiber ignore : Dromos.Sched.fiber);
      ignore (Dromos.async task : unit Promise.t);
      Promise.await begun;
      failwith "body")

(* Each structure is reported by name. *)
let structures () =
  let memory = Dromos.Semaphore.create ~name:"memory" 2 in
  let log = Dromos.Strand.create ~name:"log" () and never = Promise.create () in
  let holder = Dromos.Strand.async log (fun () -> Promise.await never) in
  let behind = Dromos.Strand.async log ignore in
  let reader = Dromos.async (fun () -> Dromos.await behind) in
  let db =
    Dromos.Resource_pool.create ~name:"db" ~max:1 ~make:ignore ~dispose:ignore
      ()
  in
  let query () =
    Dromos.Resource_pool.use db (fun () -> Dromos.Resource_pool.use db ignore)
  in
  let query = Dromos.async query in
  let large = Dromos.async (fun () -> Dromos.Semaphore.acquire ~n:3 memory) in
  List.iter Dromos.await [ query; large; reader; behind; holder ]

let news : unit Dromos.Broadcast.t = Dromos.Broadcast.create ~name:"news" 1

let subscriber () =
  Dromos.Broadcast.with_subscription news (fun s -> Dromos.Broadcast.receive s)

(* A subscription that is reachable only from its own task ends, like a
   forgotten subscription. *)
let lone_subscriber () =
  let news = Dromos.Broadcast.create 1 in
  match
    Dromos.Broadcast.with_subscription news (fun s ->
        Dromos.Broadcast.receive s)
  with
  | () -> ()
  | exception Dromos.Broadcast.Closed -> say "closed"

(* The value is gone after the next collection. *)
let collected () =
  let collector =
    Thread.create
      (fun () ->
        Thread.delay 0.2;
        Gc.full_major ())
      ()
  in
  ignore (Sys.opaque_identity collector);
  protected_and_lost ()

(* {1 Not deadlocks} *)

let from_outside seconds () =
  let p = Promise.create () in
  let thread =
    Thread.create
      (fun () ->
        Thread.delay seconds;
        Promise.resolve p "outside")
      ()
  in
  say "woken from %s" (Promise.await p);
  Thread.join thread

(* A run kept open for work from outside, which comes after two idle seconds. *)
let kept ~workers ~hub () =
  let scope = Dromos.Ivar.create () and stop = Promise.create () in
  let serve () =
    Dromos.run ~workers ~hub (fun () ->
        Dromos.Scope.run (fun s ->
            Dromos.Ivar.fill scope s;
            Promise.await stop))
  in
  let thread = Thread.create serve () in
  let scope = Dromos.Ivar.read scope in
  Thread.delay 2.5;
  say "%d" (Promise.await (Dromos.Scope.async scope (fun () -> 42)));
  Promise.resolve stop ();
  Thread.join thread

(* A signal handler may wake the fiber, so the run is not deadlocked. *)
let handled () =
  let p = Promise.create () in
  Sys.set_signal Sys.sigalrm
    (Signal_handle (fun _ -> Promise.resolve p "a handler"));
  ignore
    (Unix.setitimer ITIMER_REAL { it_interval = 0.; it_value = 2.5 }
      : Unix.interval_timer_status);
  say "woken by %s" (Promise.await p)

(* After the thread has ended, no thread can wake the fiber. *)
let no_more_outside () =
  from_outside 2. ();
  Promise.await (Promise.create () : unit Promise.t)

let announced () =
  External.incr ();
  Fun.protect (from_outside 2.) ~finally:External.decr

let sleeping () =
  let p = Promise.create () in
  let sleeper =
    Dromos.async (fun () ->
        Dromos.sleep 2.;
        Promise.resolve p ())
  in
  Promise.await p;
  Dromos.await sleeper;
  say "slept"

let blocking () =
  Dromos.blocking (fun () -> Thread.delay 2.);
  say "blocked"

(* A call without end, whose caller has left. *)
let abandoned () =
  let read_end, _ = Unix.pipe ~cloexec:true () in
  let call () =
    Dromos.blocking ~abandon:true (fun () ->
        ignore (Unix.read read_end (Bytes.create 1) 0 1 : int))
  in
  (try Dromos.timeout 0.05 call with Dromos.Timeout -> say "abandoned");
  Promise.await (keep (Promise.create ()))

(* The result of an abandoned call wakes the fiber. *)
let late () =
  let p = keep (Promise.create ()) in
  let late _ = Promise.resolve p () in
  let call () = Dromos.blocking ~late (fun () -> Thread.delay 2.) in
  (try Dromos.timeout 0.05 call with Dromos.Timeout -> say "abandoned");
  Promise.await p

let descriptor () =
  let read_end, write_end = Unix.pipe ~cloexec:true () in
  let write () =
    Thread.delay 2.;
    ignore (Unix.write write_end (Bytes.make 1 'x') 0 1 : int)
  in
  let thread = Thread.create write () in
  Dromos.Io.await_readable read_end;
  Thread.join thread;
  say "readable"

(* A wait that was given up counts no more. *)
let no_descriptor () =
  let read_end, _ = Unix.pipe ~cloexec:true () in
  (try Dromos.Io.await_readable ~timeout:0.01 read_end
   with Dromos.Timeout -> say "given up");
  Promise.await (keep (Promise.create ()))

(* A fiber computes for long; the main fiber waits for the result. *)
let busy () =
  let p = Promise.create () in
  let worker =
    Dromos.async (fun () ->
        let until = Unix.gettimeofday () +. 2. in
        while Unix.gettimeofday () < until do
          ignore (Sys.opaque_identity (ref 0))
        done;
        Promise.resolve p ())
  in
  Promise.await p;
  Dromos.await worker;
  say "worked"

(* A fiber of another run, on another domain, will wake the fiber. *)
let other_run () =
  let p = Promise.create () in
  let domain =
    Domain.spawn (fun () ->
        Dromos.run ~workers:1 (fun () ->
            let until = Unix.gettimeofday () +. 2. in
            while Unix.gettimeofday () < until do
              Dromos.yield ()
            done;
            Promise.resolve p ()))
  in
  Promise.await p;
  Domain.join domain;
  say "the other run did it"

(* A finaliser wakes the fiber. *)
let finaliser () =
  let p = Promise.create () in
  Gc.finalise (fun p -> Promise.resolve p ()) p;
  Promise.await p;
  say "woken by a finaliser"

(* A finaliser of another value wakes the fiber, while variables lead to the
   fiber. *)
let another_finaliser () =
  let p = reachable () in
  Gc.finalise (fun _ -> Promise.resolve p ()) (ref 0);
  Promise.await p;
  say "woken by another's finaliser"

(* {1 Waits that are not proved to be deadlocks} *)

(* A thread resolves [find ()] after four seconds; no variable leads to the
   promise. *)
let found_by_a_thread find =
  Thread.create
    (fun () ->
      Thread.delay 4.;
      match find () with
      | Some p -> Promise.resolve p "a thread"
      | None -> say "nothing was found")
    ()

let weak : string Promise.t Weak.t = Weak.create 1

let[@inline never] await_weakly () =
  let p = Promise.create () in
  Weak.set weak 0 (Some p);
  Promise.await p

let weak_pointer () =
  let thread = found_by_a_thread (fun () -> Weak.get weak 0) in
  say "woken by %s" (await_weakly ());
  Thread.join thread

let weak_pointer_alone () = say "woken by %s" (await_weakly ())
let table : (int ref, string Promise.t) Ephemeron.K1.Bucket.t list ref = ref []

(* The value of an ephemeron with a live key. *)
let ephemeron () =
  let key = Sys.opaque_identity (ref 0) in
  let[@inline never] await () =
    let p = Promise.create () in
    let bucket = Ephemeron.K1.Bucket.make () in
    Ephemeron.K1.Bucket.add bucket key p;
    table := bucket :: !table;
    Promise.await p
  in
  let find () = Ephemeron.K1.Bucket.find (List.hd !table) key in
  let thread = found_by_a_thread find in
  say "woken by %s" (await ());
  Thread.join thread

let resurrected : string Promise.t option ref = ref None

let resurrection () =
  let[@inline never] await () =
    let p = Promise.create () in
    Gc.finalise (fun p -> resurrected := Some p) p;
    Promise.await p
  in
  let thread = found_by_a_thread (fun () -> !resurrected) in
  say "woken by %s" (await ());
  Thread.join thread

(* A finaliser that is attached again each time. *)
let alarm () =
  let[@inline never] await () =
    let p = Promise.create () and calls = ref 0 in
    let alarm =
      Gc.create_alarm (fun () ->
          incr calls;
          if !calls = 40 then Promise.resolve p "an alarm")
    in
    ignore (Sys.opaque_identity alarm);
    Promise.await p
  in
  let stop = Atomic.make false in
  let collector =
    Thread.create
      (fun () ->
        while not (Atomic.get stop) do
          Thread.delay 0.1;
          Gc.full_major ()
        done)
      ()
  in
  say "woken by %s" (await ());
  Atomic.set stop true;
  Thread.join collector

(* {1 More than one run} *)

let stuck () = crossed (fun () -> Promise.create ())

let deadlock f =
  match f () with
  | () -> say "no deadlock"
  | exception Dromos.Deadlock _ -> say "deadlock"

(* A second deadlock in a run that survived a suspicion. *)
let second () =
  let thread =
    let p = Promise.create () in
    let thread =
      Thread.create
        (fun () ->
          Thread.delay 2.5;
          Promise.resolve p ())
        ()
    in
    Promise.await p;
    thread
  in
  Thread.join thread;
  stuck ()

let in_blocking ~workers ~hub () =
  Dromos.run ~workers:1 (fun () ->
      Dromos.blocking (fun () ->
          deadlock (fun () -> Dromos.run ~workers ~hub stuck)))

let beside work ~workers ~hub () =
  let stop = Atomic.make false in
  let other =
    Domain.spawn (fun () ->
        Dromos.run ~workers:1 (fun () ->
            while not (Atomic.get stop) do
              work ()
            done))
  in
  deadlock (fun () -> Dromos.run ~workers ~hub stuck);
  Atomic.set stop true;
  Domain.join other

let beside_a_ticker = beside (fun () -> Dromos.sleep 0.01)

let beside_work =
  beside (fun () -> ignore (Sys.opaque_identity (List.init 1000 Fun.id)))

(* Each run waits for a promise that the other would resolve. The caller's
   variables lead to neither promise while the runs are active. *)
let second_run = ref ignore

(* [first]: the action of the calling domain's run before its wait. *)
let two_runs ?(first = ignore) ~workers ~hub () =
  let[@inline never] start () =
    let a = Promise.create () and b = Promise.create () in
    let run first mine other () =
      Dromos.run ~workers ~hub (fun () ->
          first ();
          Promise.await other;
          Promise.resolve mine ())
    in
    second_run := run first b a;
    Domain.spawn (fun () -> deadlock (run ignore a b))
  in
  let domain = start () in
  let run = !second_run in
  second_run := ignore;
  deadlock run;
  Domain.join domain

(* Like [two_runs], but one run sleeps before its wait. Meanwhile the collector is
   asked about the other run, several times and from each domain, and finds no
   deadlock yet. The domain of the first run to end then sleeps in a join. *)
let two_runs_late = two_runs ~first:(fun () -> Thread.delay 4.)

let limited seconds () =
  match Dromos.timeout seconds stuck with
  | () -> ()
  | exception Dromos.Timeout -> say "the time was up"

let limited_lock () =
  let m = Dromos.Mutex.create ~name:"m" () and locked = Promise.create () in
  let[@inline never] holder () =
    Dromos.async ~name:"holder" (fun () ->
        Dromos.Mutex.lock m;
        Promise.resolve locked ();
        Promise.await (Promise.create ()))
  in
  let holder = holder () in
  Promise.await locked;
  Dromos.Mutex.lock ~timeout:3600. m;
  Dromos.await holder

(* {1 Locks} *)

let turn = Atomic.make 0

(* Beside a fiber that has ended at the root. *)
let beside_ended () =
  Dromos.Sched.release (Dromos.Sched.fiber ignore);
  Dromos.yield ();
  stuck ()

let stopped () =
  let rec action () =
    Dromos.Sched.action ~name:"stops" (function
      | Stop -> next ()
      | Preempt _ -> Dromos.Sched.stop)
  and next () = Dromos.Sched.run (action ()) (Dromos.Sched.Vproc.deq ()) in
  Dromos.Sched.Attached.run ~name:"stops"
    ~vprocs:[ Dromos.Sched.Vproc.host () ]
    (fun _ -> next ())
    (fun () ->
      for _ = 1 to 2 do
        Dromos.Sched.Vproc.enq (Dromos.Sched.fiber Dromos.Sched.yield)
      done)

(* A scheduler that knows the holders and the waiters of locks. *)
let inheriting () =
  let module Priority = Dromos.Sched.Priority in
  Priority.run (fun t ->
      let n = Dromos.Mutex.create ~name:"n" () in
      let m = Dromos.Mutex.create ~name:"m" () in
      let never = Promise.create () and held = Promise.create () in
      let task priority f = Priority.spawn t ~priority f in
      task 9 (fun () ->
          Dromos.Mutex.protect m (fun () ->
              Dromos.yield ();
              Dromos.Mutex.protect n (fun () ->
                  Promise.resolve held ();
                  Dromos.yield ();
                  Promise.await never)));
      for i = 1 to 4 do
        task i (fun () ->
            Promise.await held;
            Dromos.Mutex.protect n Dromos.yield;
            Dromos.Mutex.protect m ignore)
      done)

(* Each task takes its own lock, and later its neighbour's; the rest of the run
   continues. *)
let ring locks () =
  let n = List.length locks in
  let task i =
    let own = List.nth locks i and next = List.nth locks ((i + 1) mod n) in
    own (fun () ->
        Atomic.incr turn;
        while Atomic.get turn < n do
          Dromos.yield ()
        done;
        next ignore)
  in
  let start i =
    Dromos.async ~name:(Printf.sprintf "task %d" i) (fun () -> task i)
  in
  let tasks = List.init n start in
  let goes_on =
    Dromos.async (fun () ->
        Dromos.sleep 0.1;
        say "the rest goes on")
  in
  Dromos.await goes_on;
  List.iter Dromos.await tasks

let mutex name =
  let m = Dromos.Mutex.create ~name () in
  fun f -> Dromos.Mutex.protect m f

let writer name =
  let l = Dromos.Rwlock.create ~name () in
  fun f -> Dromos.Rwlock.with_write l f

let strand name =
  let s = Dromos.Strand.create ~name () in
  fun f -> Dromos.Strand.run s f

let two_locks () = ring [ mutex "a"; mutex "b" ] ()
let mixed_locks () = ring [ mutex "a"; writer "b"; strand "c"; mutex "d" ] ()

let lazies () =
  let other = ref (Dromos.Lazy.from_val ()) in
  let meet () =
    Atomic.incr turn;
    while Atomic.get turn < 2 do
      Dromos.yield ()
    done
  in
  let a =
    Dromos.Lazy.from_fun (fun () ->
        meet ();
        Dromos.Lazy.force !other)
  in
  let b =
    Dromos.Lazy.from_fun (fun () ->
        meet ();
        Dromos.Lazy.force a)
  in
  other := b;
  let force l = Dromos.async (fun () -> Dromos.Lazy.force l) in
  List.iter Dromos.await (List.map force [ a; b ])

(* Pairs close their cycles at once, and break the cycles; each pair has a
   report. *)
let many_cycles () =
  let pair () =
    let a = Dromos.Mutex.create ~name:"a" ()
    and b = Dromos.Mutex.create ~name:"b" () in
    let met = Atomic.make 0 in
    let take first second () =
      Dromos.Mutex.protect first (fun () ->
          Atomic.incr met;
          while Atomic.get met < 2 do
            Dromos.yield ()
          done;
          Dromos.Mutex.protect second ignore)
    in
    match
      Dromos.timeout 0.2 (fun () ->
          Dromos.Scope.run (fun scope ->
              Dromos.Scope.fork scope (take a b);
              Dromos.Scope.fork scope (take b a)))
    with
    | () -> say "no cycle"
    | exception Dromos.Timeout -> ()
  in
  for _ = 1 to 5 do
    let pairs = List.init 8 (fun _ -> Dromos.async pair) in
    List.iter Dromos.await pairs
  done

(* A wait has a time limit. *)
let patient_lock () =
  let a = Dromos.Mutex.create () and b = Dromos.Mutex.create () in
  let limited f =
    Dromos.Mutex.protect b (fun () ->
        Atomic.incr turn;
        while Atomic.get turn < 2 do
          Dromos.yield ()
        done;
        match Dromos.Mutex.lock ~timeout:0.2 a with
        | () -> say "locked"
        | exception Dromos.Timeout -> say "gave up");
    f ()
  in
  Dromos.Scope.run (fun scope ->
      Dromos.Scope.fork scope (fun () -> limited ignore);
      Dromos.Mutex.protect a (fun () ->
          Atomic.incr turn;
          while Atomic.get turn < 2 do
            Dromos.yield ()
          done;
          Dromos.Mutex.protect b ignore))

(* {1 A child process without publisher threads} *)

let forked ~workers ~hub () =
  Dromos.run ~workers:1 ~hub (from_outside 0.2);
  match Unix.fork () with
  | 0 -> (
      match
        Dromos.run ~workers ~hub (fun () ->
            crossed (fun () -> Promise.create ()))
      with
      | () -> exit 0
      | exception Dromos.Deadlock _ ->
          say "the child raised";
          exit 0)
  | pid -> (
      match Unix.waitpid [] pid with
      | _, WEXITED 0 -> say "the child ended"
      | _ -> say "the child failed")

(* Runs in threads; the threads end one by one. *)
let threads ~workers ~hub () =
  let one () = Dromos.run ~workers ~hub (from_outside 0.01) in
  for _ = 1 to 5 do
    Thread.join (Thread.create one ());
    Domain.join (Domain.spawn one)
  done

let scenario ~workers ~hub name =
  let run f = Dromos.run ~workers ~hub f in
  match name with
  | "never" -> run never_resolved
  | "crossed" -> run (fun () -> crossed reachable)
  | "crossed_unreachable" ->
      run (fun () -> crossed (fun () -> Promise.create ()))
  | "nested" -> run nested
  | "failed" -> run failed
  | "many" -> run many
  | "protected" -> run protected
  | "protected_and_lost" -> run protected_and_lost
  | "collected" -> run collected
  | "structures" -> run structures
  | "subscriber" -> run subscriber
  | "lone_subscriber" -> run lone_subscriber
  | "outside" -> run (from_outside 3.)
  | "kept" -> kept ~workers ~hub ()
  | "handled" -> run handled
  | "no_more_outside" -> run no_more_outside
  | "announced" -> run announced
  | "sleeping" -> run sleeping
  | "blocking" -> run blocking
  | "abandoned" -> run abandoned
  | "late" -> run late
  | "descriptor" -> run descriptor
  | "no_descriptor" -> run no_descriptor
  | "busy" -> run busy
  | "other_run" -> run other_run
  | "finaliser" -> run finaliser
  | "another_finaliser" -> run another_finaliser
  | "weak_pointer" -> run weak_pointer
  | "weak_pointer_alone" -> run weak_pointer_alone
  | "ephemeron" -> run ephemeron
  | "resurrection" -> run resurrection
  | "alarm" -> run alarm
  | "many_cycles" -> run many_cycles
  | "second" -> run second
  | "in_blocking" -> in_blocking ~workers ~hub ()
  | "beside_a_ticker" -> beside_a_ticker ~workers ~hub ()
  | "beside_work" -> beside_work ~workers ~hub ()
  | "two_runs" -> two_runs ~workers ~hub ()
  | "two_runs_late" -> two_runs_late ~workers ~hub ()
  | "limited" -> run (limited 3600.)
  | "limited_shortly" -> run (limited 3.)
  | "limited_lock" -> run limited_lock
  | "beside_ended" -> run beside_ended
  | "stopped" -> run stopped
  | "inheriting" -> run inheriting
  | "two_locks" -> run two_locks
  | "mixed_locks" -> run mixed_locks
  | "lazies" -> run lazies
  | "patient_lock" -> run patient_lock
  | "forked" -> forked ~workers ~hub ()
  | "threads" -> threads ~workers ~hub ()
  | name -> failwith ("no scenario " ^ name)

let () =
  let workers = int_of_string Sys.argv.(2) in
  let hub =
    List.find (fun h -> Dromos.Hub.name h = Sys.argv.(3)) Dromos.Hub.all
  in
  match scenario ~workers ~hub Sys.argv.(1) with
  | () -> say "ended"
  | exception (Dromos.Deadlock text as e) ->
      say "raised %s" (Printexc.to_string e);
      say "%s" text;
      exit 3
