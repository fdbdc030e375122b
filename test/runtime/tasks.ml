(* A submitted task runs once, and its waiter learns of its end. *)

open Common

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let number = 100_000

(* Four threads and two domains; every fourth only posts. *)
let many () =
  runtime (fun t ->
      let ran = Atomic.make 0 in
      let task i () =
        Atomic.incr ran;
        i
      in
      let submit i =
        if i mod 4 = 0 then begin
          Runtime.post t (fun () -> ignore (task i () : int));
          None
        end
        else Some (i, Runtime.submit t (task i))
      in
      let share = number / 6 in
      let submitter () =
        let promises = List.filter_map submit (List.init share Fun.id) in
        List.iter (fun (i, p) -> int "value" i (Promise.await p)) promises
      in
      let domains = List.init 2 (fun _ -> Domain.spawn submitter) in
      let threads = List.init 4 (fun _ -> Thread.create submitter ()) in
      List.iter Domain.join domains;
      List.iter Thread.join threads;
      Runtime.stop t;
      int "each once" (6 * share) (Atomic.get ran);
      let s = at_rest "many" t in
      int "accepted" (6 * share) s.accepted;
      int "finished" (6 * share) s.finished;
      bool "a longest wait" true (s.wait_max > 0. && s.wait_max <= s.wait_sum))

exception Mine of int

let raising n = raise (Mine n)

let exceptions () =
  let told = ref [] in
  let lock = Mutex.create () in
  let on_unhandled e bt =
    Mutex.protect lock (fun () -> told := (e, bt) :: !told)
  in
  runtime ~on_unhandled (fun t ->
      (match Promise.result (Runtime.submit t (fun () -> raising 1)) with
      | Error (Mine 1, bt) ->
          bool "where it was raised" true
            (Said.contains (Printexc.raw_backtrace_to_string bt) "tasks.ml")
      | Ok _ | Error _ -> Alcotest.fail "submit");
      (match Runtime.run t (fun () -> raising 2) with
      | () -> Alcotest.fail "run"
      | exception Mine 2 -> ());
      Runtime.post t (fun () -> raising 3);
      (* The failure of an inner task that no fiber awaits. *)
      Runtime.post t (fun () ->
          ignore (Dromos.async (fun () -> raising 4) : unit Promise.t));
      (* A [Cancelled] without a cancellation is a failure like others. *)
      Runtime.post t (fun () -> raise Dromos.Cancelled);
      Runtime.stop t;
      let is n = List.exists (fun (e, _) -> e = n) !told in
      int "told" 3 (List.length !told);
      bool "posted" true (is (Mine 3));
      bool "inside" true (is (Mine 4));
      bool "raised" true (is Dromos.Cancelled);
      (* The inner failure was handled, and fails nothing. *)
      int "failed" 4 (at_rest "exceptions" t).failed)

(* Failures of a long-running task, like a task with connections to serve. *)
let told_meanwhile () =
  let told = Atomic.make 0 in
  runtime
    ~on_unhandled:(fun _ _ -> Atomic.incr told)
    (fun t ->
      let served =
        Runtime.submit t (fun () ->
            ignore (Dromos.async (fun () -> raising 1) : unit Promise.t);
            while Atomic.get told = 0 do
              Dromos.sleep 0.005
            done;
            ignore (Dromos.async (fun () -> raising 2) : unit Promise.t))
      in
      Promise.await served;
      int "each, once" 2 (Atomic.get told))

(* A failing [on_unhandled] stops no task. *)
let failing_report () =
  runtime
    ~on_unhandled:(fun _ _ -> failwith "on purpose: on_unhandled")
    (fun t ->
      Runtime.post t (fun () -> failwith "on purpose: a task");
      int "goes on" 1 (Runtime.run t (fun () -> 1)))

let inside_and_out () =
  runtime (fun t ->
      bool "outside" false (Runtime.inside t);
      bool "inside" true (Runtime.run t (fun () -> Runtime.inside t));
      int "forks" 610 (Runtime.run t (fun () -> fib 15));
      (* By a task of the runtime, which waits for the result. *)
      int "nested" 3 (Runtime.run t (fun () -> 1 + Runtime.run t (fun () -> 2)));
      int "blocking" 4 (Runtime.run t (fun () -> Dromos.blocking (fun () -> 4)));
      Dromos.run ~workers:2 (fun () ->
          bool "another run" false (Runtime.inside t);
          let p = Runtime.submit t (fun () -> fib 10) in
          let a, b =
            Dromos.both
              (fun () -> Promise.await p)
              (fun () -> Runtime.run t (fun () -> fib 11))
          in
          int "from fibers" 144 (a + b)))

(* The caller leaves after the task. *)
let run_is_cancelled () =
  runtime (fun t ->
      let begun = Latch.create 1 and left = Atomic.make false in
      let task () =
        Latch.count_down begun;
        Fun.protect
          (fun () -> Promise.await (Promise.create ()))
          ~finally:(fun () ->
            Dromos.protect (fun () -> Dromos.sleep 0.02);
            Atomic.set left true)
      in
      (match
         Dromos.run ~workers:1 (fun () ->
             Dromos.Scope.run (fun scope ->
                 Dromos.Scope.fork scope (fun () -> Runtime.run t task);
                 Latch.wait begun;
                 Dromos.Scope.cancel scope;
                 Dromos.check ()))
       with
      | () -> Alcotest.fail "not cancelled"
      | exception Dromos.Cancelled -> ());
      bool "left" true (Atomic.get left);
      int "cancelled" 1 (at_rest "run" t).cancelled)

let preempted () =
  Runtime.with_ ~hub ~workers:1 ~preempt:true (fun t ->
      let go = Atomic.make false in
      let hog =
        Runtime.submit t (fun () ->
            while not (Atomic.get go) do
              ignore (Sys.opaque_identity (ref 1))
            done)
      in
      int "beside one that computes" 1 (Runtime.run t (fun () -> 1));
      Atomic.set go true;
      Promise.await hog)

let beside () =
  runtime (fun a ->
      runtime (fun b ->
          let rounds = 200 in
          let ping () =
            for i = 1 to rounds do
              int "b" i (Runtime.run b (fun () -> Runtime.run a (fun () -> i)))
            done
          in
          let thread = Thread.create ping () in
          let n =
            Dromos.run ~workers:3 (fun () ->
                let p =
                  Dromos.async (fun () -> Runtime.run a (fun () -> fib 16))
                in
                fib 16 + Promise.await p)
          in
          Thread.join thread;
          int "all three" (2 * 987) n;
          int "tasks of b" rounds (at_rest "b" b).finished))

(* A run has all its workers beside idle runtimes, and the runtimes have theirs
   beside the run: as many tasks meet, each holding its worker. *)
let idle_takes_nothing () =
  let meet n fork =
    let all = Latch.create n in
    let hold () =
      Latch.count_down all;
      while Latch.count all > 0 do
        Domain.cpu_relax ()
      done
    in
    for _ = 1 to n do
      fork hold
    done;
    Latch.wait all
  in
  let runs () =
    Dromos.run ~workers:3 (fun () ->
        Dromos.Scope.run (fun scope ->
            meet 3 (fun hold -> Dromos.Scope.fork scope hold)))
  in
  runtime ~workers:2 (fun a ->
      runtime ~workers:2 (fun b ->
          for _ = 1 to 5 do
            runs ();
            meet 2 (fun hold -> Runtime.post a hold);
            Dromos.run ~workers:1 (fun () ->
                meet 2 (fun hold -> Runtime.post b hold))
          done))

let of_a_handler () =
  runtime ~queue:1000 (fun t ->
      let accepted = Atomic.make 0 in
      let handler _ = if Runtime.try_post t ignore then Atomic.incr accepted in
      let before = Sys.signal Sys.sigusr1 (Signal_handle handler) in
      for _ = 1 to 100 do
        Unix.kill (Unix.getpid ()) Sys.sigusr1;
        ignore (Runtime.run t (fun () -> 1) : int)
      done;
      Sys.set_signal Sys.sigusr1 before;
      Runtime.stop t;
      bool "some came" true (Atomic.get accepted > 0);
      int "all ran" (100 + Atomic.get accepted) (at_rest "signals" t).finished)

exception Strike

(* A handler raises at random places of the submitter: a task is accepted as a
   whole, or not at all, and the room is the same at the end. *)
let struck () =
  let strike _ = raise Strike in
  Sys.set_signal Sys.sigalrm (Signal_handle strike);
  let timer seconds =
    ignore
      (Unix.setitimer ITIMER_REAL { it_interval = seconds; it_value = seconds }
        : Unix.interval_timer_status)
  in
  let queue = 100 in
  let ran = Atomic.make 0 and struck = ref 0 in
  let t = Runtime.create ~hub ~workers ~queue () in
  let rec submit n =
    if n > 0 then begin
      (match Runtime.try_post t (fun () -> Atomic.incr ran) with
      | (_ : bool) -> ()
      | exception Strike -> incr struck);
      submit (n - 1)
    end
  in
  let rec outer n =
    if n > 0 then
      match
        timer 0.0003;
        submit 200
      with
      | () -> outer (n - 1)
      | exception Strike ->
          incr struck;
          outer (n - 1)
  in
  let rec calm f = try f () with Strike -> calm f in
  outer 200;
  calm (fun () -> timer 0.);
  (* A last signal may still be under way: it strikes here at the latest. *)
  calm (fun () -> Sys.set_signal Sys.sigalrm Signal_ignore);
  until "at rest" (fun () -> (Runtime.stats t).queued = 0);
  let free = List.init workers (fun _ -> occupy t) in
  let held = ref 0 in
  while Runtime.try_post t (fun () -> Atomic.incr ran) do
    incr held
  done;
  List.iter (fun free -> free ()) free;
  int "room" queue !held;
  Runtime.stop t;
  bool "struck" true (!struck > 0);
  int "each once" (at_rest "struck" t).finished (Atomic.get ran + workers)

let storage () =
  let key = Dromos.Sched.Fls.new_key () in
  let ask () = Dromos.Sched.Fls.find_opt key in
  runtime (fun t ->
      Dromos.run ~workers:1 (fun () ->
          Dromos.Sched.Fls.let_ key 7 (fun () ->
              bool "its submitter's" true (Runtime.run t ask = Some 7));
          bool "then none" true (Runtime.run t ask = None));
      bool "the storage of a thread" true (Runtime.run t ask = None))

let misuse () =
  let refused part f =
    match f () with
    | _ -> Alcotest.failf "not refused: %s" part
    | exception Invalid_argument text ->
        bool (part ^ " in " ^ text) true (Said.contains text part)
  in
  refused "~workers:0" (fun () -> Runtime.create ~workers:0 ());
  refused "~queue:0" (fun () -> Runtime.create ~queue:0 ());
  refused "UTF-8" (fun () -> Runtime.create ~name:"\xff" ());
  runtime (fun t ->
      refused "submit" (fun () -> Runtime.submit ~timeout:Float.nan t ignore);
      refused "stop" (fun () -> Runtime.stop ~timeout:(-1.) t);
      bool "not stopped by that" false (Runtime.is_stopped t))

let case = Watch.case

let cases =
  [
    case "100 000 from threads and domains" many;
    case "exceptions" exceptions;
    case "a failure that is not awaited" told_meanwhile;
    case "on_unhandled raises" failing_report;
    case "from inside and outside" inside_and_out;
    case "run is cancelled" run_is_cancelled;
    case "preempted" preempted;
    case "two, and a plain run" beside;
    case "an idle one takes nothing" idle_takes_nothing;
    case "from a signal handler" of_a_handler;
    case "struck by a handler" struck;
    case "fiber-local storage" storage;
    case "misuse" misuse;
  ]
