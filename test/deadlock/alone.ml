(* The programs that test_deadlock starts, each in a process of its own:
   alone.exe SCENARIO WORKERS HUB. What is printed on stdout is what is checked,
   with the exit status and the report on stderr. *)

module Promise = Dromos.Promise
module External = Dromos_suspend.External

let say fmt = Printf.printf (fmt ^^ "\n%!")

(* {1 Deadlocks} *)

let kept : unit Promise.t list ref = ref []

(* Reachable from outside for ever, for whatever the collector knows. *)
let keep p =
  kept := p :: !kept;
  p

let never_resolved () =
  let p = keep (Promise.create ()) in
  Dromos.await (Dromos.async ~name:"reader" (fun () -> Promise.await p))

let crossed create =
  let a = create () and b = create () in
  let wait name mine other =
    Dromos.async ~name (fun () ->
        Fun.protect
          (fun () -> Promise.await other)
          ~finally:(fun () -> say "%s cleans up" name);
        Promise.resolve mine ())
  in
  let left = wait "left" a b in
  let right = wait "right" b a in
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

(* Cancellation does not reach it. *)
let protected () =
  let p = keep (Promise.create ()) in
  Dromos.protect (fun () -> Promise.await p)

let protected_and_lost () =
  let p = Promise.create () in
  Dromos.protect (fun () -> Promise.await p)

(* The scope waits for a fiber that no scheduler was given, and does not raise. *)
let failed () =
  Dromos.Scope.run (fun _ ->
      ignore (Dromos.Sched.fiber ignore : Dromos.Sched.fiber);
      ignore (Dromos.async (fun () -> failwith "task") : unit Promise.t);
      Dromos.yield ();
      failwith "body")

(* Each by the name of what it waits for. *)
let structures () =
  let memory = Dromos.Semaphore.create ~name:"memory" 2 in
  let log = Dromos.Strand.create ~name:"log" () and never = Promise.create () in
  let holder = Dromos.Strand.async log (fun () -> Promise.await never) in
  let behind = Dromos.Strand.async log ignore in
  let db =
    Dromos.Resource_pool.create ~name:"db" ~max:1 ~make:ignore ~dispose:ignore
      ()
  in
  let query () =
    Dromos.Resource_pool.use db (fun () -> Dromos.Resource_pool.use db ignore)
  in
  let query = Dromos.async query in
  let large = Dromos.async (fun () -> Dromos.Semaphore.acquire ~n:3 memory) in
  List.iter Dromos.await [ query; large; behind; holder ]

let news : unit Dromos.Broadcast.t = Dromos.Broadcast.create ~name:"news" 1

let subscriber () =
  Dromos.Broadcast.with_subscription news (fun s -> Dromos.Broadcast.receive s)

(* A subscription that only its own task leads to ends, as does one that was
   forgotten. *)
let lone_subscriber () =
  let news = Dromos.Broadcast.create 1 in
  match
    Dromos.Broadcast.with_subscription news (fun s ->
        Dromos.Broadcast.receive s)
  with
  | () -> ()
  | exception Dromos.Broadcast.Closed -> say "closed"

(* As soon as the collector comes by it is gone. *)
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

(* Kept for work from outside, which comes after two idle seconds. *)
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

(* A handler of a signal counts as somebody. *)
let handled () =
  let p = Promise.create () in
  Sys.set_signal Sys.sigalrm
    (Signal_handle (fun _ -> Promise.resolve p "a handler"));
  ignore
    (Unix.setitimer ITIMER_REAL { it_interval = 0.; it_value = 2.5 }
      : Unix.interval_timer_status);
  say "woken by %s" (Promise.await p)

(* Once its thread has gone nobody is left. *)
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

(* A call that never returns, and whose caller has left. *)
let abandoned () =
  let read_end, _ = Unix.pipe ~cloexec:true () in
  let call () =
    Dromos.blocking ~abandon:true (fun () ->
        ignore (Unix.read read_end (Bytes.create 1) 0 1 : int))
  in
  (try Dromos.timeout 0.05 call with Dromos.Timeout -> say "abandoned");
  Promise.await (keep (Promise.create ()))

(* The result of one that was abandoned wakes the fiber. *)
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

(* One works for long, the other waits for it. *)
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

(* A fiber of another run, on another domain, owes the wake-up. *)
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

(* So does that of another value, while variables lead to the fiber. *)
let another_finaliser () =
  let p = reachable () in
  Gc.finalise (fun _ -> Promise.resolve p ()) (ref 0);
  Promise.await p;
  say "woken by another's finaliser"

(* {1 A child without the companion} *)

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

(* Runs that end, one after the other, in threads that end. *)
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
