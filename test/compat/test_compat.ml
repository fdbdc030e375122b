(* Domainslib's interface over Dromos follows Domainslib's documentation, and
   our own. *)

module Task = Domainslib.Task
module Chan = Domainslib.Chan

let check = Watch.check
let raises = Alcotest.check_raises

let with_pool ?name num_domains f =
  let pool = Task.setup_pool ?name ~num_domains () in
  Fun.protect (fun () -> f pool) ~finally:(fun () -> Task.teardown_pool pool)

(* A test on pools of several sizes. *)
let each name test =
  List.map
    (fun n ->
      Watch.case (Printf.sprintf "%s, num_domains:%d" name n) (fun () ->
          with_pool n test))
    [ 0; 1; 3 ]

let me () = (Domain.self () :> int)

let spin_until flag =
  while not (Atomic.get flag) do
    Domain.cpu_relax ()
  done

(* {1 Loops} *)

let chunks =
  [ None; Some 0; Some (-1); Some 1; Some 7; Some 1000; Some max_int ]

let each_index_once pool =
  let around ?chunk_size start finish =
    let seen = Array.init (finish - start + 1) (fun _ -> Atomic.make 0) in
    Task.run pool (fun () ->
        Task.parallel_for pool ?chunk_size ~start ~finish ~body:(fun i ->
            Atomic.incr seen.(i - start)));
    check
      Alcotest.(array int)
      "each index once"
      (Array.make (finish - start + 1) 1)
      (Array.map Atomic.get seen)
  in
  List.iter
    (fun chunk_size ->
      around ?chunk_size 0 999;
      around ?chunk_size (-10) 20;
      around ?chunk_size 5 5;
      around ?chunk_size (max_int - 100) max_int)
    chunks;
  Task.run pool (fun () ->
      Task.parallel_for pool ~start:5 ~finish:4 ~body:(fun _ -> assert false);
      Task.parallel_for pool ~start:max_int ~finish:min_int ~body:(fun _ ->
          assert false))

let letter i = String.make 1 (Char.chr (97 + (i mod 26)))

let reduced_in_order pool =
  let expected = "<" ^ String.concat "" (List.init 300 letter) in
  List.iter
    (fun chunk_size ->
      check Alcotest.string "in order, init once" expected
        (Task.run pool (fun () ->
             Task.parallel_for_reduce pool ?chunk_size ~start:0 ~finish:299
               ~body:letter ( ^ ) "<")))
    chunks;
  check Alcotest.string "empty" "<"
    (Task.run pool (fun () ->
         Task.parallel_for_reduce pool ~start:0 ~finish:(-1) ~body:letter ( ^ )
           "<"))

let scanned pool =
  let scan a = Task.run pool (fun () -> Task.parallel_scan pool ( ^ ) a) in
  let expected n =
    let sum = ref "" in
    Array.init n (fun i ->
        sum := !sum ^ letter i;
        !sum)
  in
  List.iter
    (fun n ->
      let a = Array.init n letter in
      check Alcotest.(array string) "scan" (expected n) (scan a);
      check Alcotest.(array string) "argument" (Array.init n letter) a)
    [ 0; 1; 2; 3; 4; 17; 500 ];
  check
    Alcotest.(array (float 0.))
    "floats" [| 1.; 3.; 6.; 10. |]
    (Task.run pool (fun () ->
         Task.parallel_scan pool ( +. ) [| 1.; 2.; 3.; 4. |]))

let found pool =
  let find ?chunk_size finish p =
    Task.run pool (fun () ->
        Task.parallel_find pool ?chunk_size ~start:0 ~finish ~body:(fun i ->
            if p i then Some i else None))
  in
  List.iter
    (fun chunk_size ->
      check
        Alcotest.(option int)
        "one" (Some 771)
        (find ?chunk_size 999 (Int.equal 771));
      check
        Alcotest.(option int)
        "none" None
        (find ?chunk_size 999 (fun _ -> false));
      check
        Alcotest.(option int)
        "empty" None
        (find ?chunk_size (-1) (fun _ -> true));
      match find ?chunk_size 999 (fun i -> i mod 10 = 3) with
      | Some i -> check Alcotest.int "any" 3 (i mod 10)
      | None -> Alcotest.fail "not found")
    chunks;
  (* More indices than an integer can count. *)
  List.iter
    (fun (start, finish) ->
      check
        Alcotest.(option bool)
        "a range without end" (Some true)
        (Task.run pool (fun () ->
             Task.parallel_find pool ~start ~finish ~body:(fun i ->
                 if i mod 100 = 0 then Some (i >= start) else None))))
    [ (0, max_int); (-5, max_int); (min_int, max_int); (min_int, 0) ];
  let calls = Atomic.make 0 in
  let some = ref None in
  Task.run pool (fun () ->
      some :=
        Task.parallel_find pool ~start:0 ~finish:10_000_000 ~body:(fun i ->
            Atomic.incr calls;
            Some i));
  check Alcotest.bool "found" true (Option.is_some !some);
  check Alcotest.bool "others stop" true (Atomic.get calls < 100_000)

let nested_loops pool =
  let sum = Atomic.make 0 in
  Task.run pool (fun () ->
      Task.parallel_for pool ~start:1 ~finish:20 ~body:(fun i ->
          Task.parallel_for pool ~start:1 ~finish:20 ~body:(fun j ->
              let task = Task.async pool (fun () -> i * j) in
              ignore (Atomic.fetch_and_add sum (Task.await pool task)))));
  check Alcotest.int "sum" (210 * 210) (Atomic.get sum)

exception Iteration of int

let failing_loops pool =
  (* All pieces run, and the leftmost failure is raised. *)
  let ran = Array.init 100 (fun _ -> Atomic.make 0) in
  let body i =
    Atomic.incr ran.(i);
    if i >= 40 && i mod 10 = 3 then raise (Iteration i)
  in
  Task.run pool (fun () ->
      raises "for" (Iteration 43) (fun () ->
          Task.parallel_for pool ~chunk_size:1 ~start:0 ~finish:99 ~body));
  check
    Alcotest.(array int)
    "no iteration left out" (Array.make 100 1) (Array.map Atomic.get ran);
  raises "through run" (Iteration 43) (fun () ->
      Task.run pool (fun () -> Task.parallel_for pool ~start:0 ~finish:99 ~body));
  Task.run pool (fun () ->
      raises "reduce" (Iteration 43) (fun () ->
          Task.parallel_for_reduce pool ~chunk_size:5 ~start:0 ~finish:99 ~body
            (fun () () -> ())
            ());
      raises "find" (Iteration 43) (fun () ->
          ignore
            (Task.parallel_find pool ~chunk_size:5 ~start:0 ~finish:99
               ~body:(fun i ->
                 body i;
                 None)));
      raises "combine" Exit (fun () ->
          Task.parallel_for_reduce pool ~chunk_size:5 ~start:0 ~finish:99
            ~body:ignore
            (fun () () -> raise Exit)
            ());
      raises "scan" Exit (fun () ->
          ignore
            (Task.parallel_scan pool
               (fun a b -> if b = 50 then raise Exit else a + b)
               (Array.init 100 Fun.id))))

let unharmed_by_a_failure pool =
  (* A waiting iteration continues after the failure of another. *)
  let slow = ref 0 in
  Task.run pool (fun () ->
      raises "the failure" Exit (fun () ->
          Task.parallel_for pool ~chunk_size:1 ~start:0 ~finish:1
            ~body:(function
            | 0 -> raise Exit
            | _ ->
                Dromos.sleep 0.02;
                slow := 1)));
  check Alcotest.int "to its end" 1 !slow

(* {1 Tasks} *)

let rec fib pool n =
  if n < 2 then n
  else
    let a = Task.async pool (fun () -> fib pool (n - 1)) in
    let b = fib pool (n - 2) in
    Task.await pool a + b

let tasks pool =
  check Alcotest.int "fib" 610 (Task.run pool (fun () -> fib pool 15));
  check Alcotest.int "run in run" 1
    (Task.run pool (fun () -> Task.run pool (fun () -> 1)));
  let sum =
    Task.run pool (fun () ->
        let tasks = List.init 1000 (fun i -> Task.async pool (fun () -> i)) in
        List.fold_left (fun sum t -> sum + Task.await pool t) 0 (List.rev tasks))
  in
  check Alcotest.int "many" 499500 sum;
  let chain =
    Task.run pool (fun () ->
        let rec chain n previous =
          if n = 0 then previous
          else
            chain (n - 1)
              (Task.async pool (fun () -> Task.await pool previous + 1))
        in
        Task.await pool (chain 1000 (Task.async pool (fun () -> 0))))
  in
  check Alcotest.int "each awaits the one before" 1000 chain;
  let one = Task.run pool (fun () -> Task.async pool (fun () -> 7)) in
  check Alcotest.int "a task of an earlier run" 7
    (Task.run pool (fun () -> Task.await pool one));
  check Alcotest.int "over, outside of any run" 7 (Task.await pool one);
  let waiters =
    Task.run pool (fun () ->
        let slow =
          Task.async pool (fun () ->
              Dromos.sleep 0.01;
              3)
        in
        let waiters =
          List.init 20 (fun _ ->
              Task.async pool (fun () -> Task.await pool slow))
        in
        List.map (Task.await pool) waiters)
  in
  check
    Alcotest.(list int)
    "many wait for one"
    (List.init 20 (fun _ -> 3))
    waiters

let made_outside pool =
  let tasks = List.init 10 (fun i -> Task.async pool (fun () -> fib pool i)) in
  check
    Alcotest.(list int)
    "awaited in a run"
    [ 0; 1; 1; 2; 3; 5; 8; 13; 21; 34 ]
    (Task.run pool (fun () -> List.map (Task.await pool) tasks));
  let failing = Task.async pool (fun () -> raise Exit) in
  raises "its exception" Exit (fun () ->
      Task.run pool (fun () -> Task.await pool failing));
  (* The promise is the function's: it does not wait for tasks that the function
     has started. *)
  let go = Dromos.Promise.create () in
  let outer =
    Task.async pool (fun () -> Task.async pool (fun () -> Dromos.await go))
  in
  Task.run pool (fun () ->
      let inner = Task.await pool outer in
      Dromos.Promise.resolve go 5;
      check Alcotest.int "inner" 5 (Task.await pool inner))

let begins_at_once () =
  with_pool 1 (fun pool ->
      let begun = Atomic.make false in
      let (_ : unit Task.promise) =
        Task.async pool (fun () -> Atomic.set begun true)
      in
      spin_until begun)

let waits_for_a_run () =
  with_pool 0 (fun pool ->
      let where = ref [] in
      let task n () = where := (n, me ()) :: !where in
      let a = Task.async pool (task 1) in
      let b = Task.async pool (task 2) in
      check Alcotest.(list (pair int int)) "not yet" [] !where;
      Task.run pool ignore;
      check
        Alcotest.(list (pair int int))
        "in the run"
        [ (1, me ()); (2, me ()) ]
        (List.sort compare !where);
      Task.await pool a;
      Task.await pool b;
      let never = Task.async pool (fun () -> assert false) in
      ignore (never : unit Task.promise))

let on_the_caller () =
  let random seed =
    Random.init seed;
    fun () -> Random.bits ()
  in
  let expected = random 42 () in
  with_pool 2 (fun pool ->
      check Alcotest.int "domain" (me ()) (Task.run pool me);
      check Alcotest.int "random state" expected
        (let bits = random 42 in
         Task.run pool bits));
  with_pool 0 (fun pool ->
      Task.run pool (fun () ->
          Task.parallel_for pool ~start:0 ~finish:99 ~body:(fun _ ->
              let task = Task.async pool me in
              check Alcotest.int "the only domain" (me ())
                (Task.await pool task))))

let truly_parallel () =
  (* The two tasks call no function of the scheduler while they spin. *)
  with_pool 1 (fun pool ->
      Task.run pool (fun () ->
          let ping = Atomic.make false and pong = Atomic.make false in
          let task =
            Task.async pool (fun () ->
                Atomic.set ping true;
                spin_until pong)
          in
          spin_until ping;
          Atomic.set pong true;
          Task.await pool task))

let from_several_domains () =
  with_pool 2 (fun pool ->
      let domains =
        List.init 4 (fun i ->
            Domain.spawn (fun () -> Task.run pool (fun () -> fib pool (10 + i))))
      in
      check
        Alcotest.(list int)
        "each" [ 55; 89; 144; 233 ]
        (List.map Domain.join domains))

(* {1 Exceptions} *)

exception Deep of int

let rec deep n =
  if n = 0 then raise (Deep 1)
  else begin
    deep (n - 1);
    ignore (Sys.opaque_identity n)
  end
[@@inline never]

let mentions_deep bt =
  match Printexc.backtrace_slots bt with
  | None -> false
  | Some slots ->
      Array.exists
        (fun slot ->
          match Printexc.Slot.name slot with
          | Some name -> String.ends_with ~suffix:".deep" name
          | None -> false)
        slots

let backtraces pool =
  Printexc.record_backtrace true;
  let same what f =
    match f () with
    | () -> Alcotest.fail "no exception"
    | exception Deep 1 ->
        let bt = Printexc.get_raw_backtrace () in
        check Alcotest.bool what true (mentions_deep bt)
  in
  same "run" (fun () -> Task.run pool (fun () -> deep 5));
  same "await" (fun () ->
      Task.run pool (fun () ->
          Task.await pool (Task.async pool (fun () -> deep 5))));
  same "made outside" (fun () ->
      let task = Task.async pool (fun () -> deep 5) in
      Task.run pool (fun () -> Task.await pool task));
  same "for" (fun () ->
      Task.run pool (fun () ->
          Task.parallel_for pool ~chunk_size:1 ~start:0 ~finish:9
            ~body:(fun i -> if i = 7 then deep 5)))

let of_who_awaits pool =
  (* A failure reaches exactly the tasks that await the failed task. *)
  Task.run pool (fun () ->
      let failing = Task.async pool (fun () -> raise Exit) in
      raises "first" Exit (fun () -> Task.await pool failing);
      raises "second" Exit (fun () -> Task.await pool failing));
  check Alcotest.int "unseen" 1
    (Task.run pool (fun () ->
         let (_ : unit Task.promise) = Task.async pool (fun () -> raise Exit) in
         1))

let nothing_is_cancelled pool =
  let ended = Atomic.make 0 in
  raises "the function's" Exit (fun () ->
      Task.run pool (fun () ->
          for _ = 1 to 10 do
            ignore
              (Task.async pool (fun () ->
                   Dromos.sleep 0.01;
                   Atomic.incr ended)
                : unit Task.promise)
          done;
          raise Exit));
  check Alcotest.int "all tasks" 10 (Atomic.get ended)

(* {1 Pools} *)

let torn_down = Invalid_argument "pool already torn down"

let errors () =
  raises "negative"
    (Invalid_argument "Task.setup_pool: num_domains must be at least 0")
    (fun () -> ignore (Task.setup_pool ~num_domains:(-1) () : Task.pool));
  raises "too many" (Failure "failed to allocate domain") (fun () ->
      ignore (Task.setup_pool ~num_domains:128 () : Task.pool));
  Task.teardown_pool (Task.setup_pool ~num_domains:127 ());
  List.iter
    (fun n ->
      let pool = Task.setup_pool ~num_domains:n () in
      let promise = Task.run pool (fun () -> Task.async pool ignore) in
      Task.teardown_pool pool;
      let over what f = raises what torn_down f in
      over "twice" (fun () -> Task.teardown_pool pool);
      over "run" (fun () -> Task.run pool ignore);
      over "async" (fun () ->
          ignore (Task.async pool ignore : unit Task.promise));
      over "await" (fun () -> Task.await pool promise);
      over "size" (fun () -> ignore (Task.get_num_domains pool : int));
      over "for" (fun () ->
          Task.parallel_for pool ~start:0 ~finish:1 ~body:ignore);
      over "reduce" (fun () ->
          Task.parallel_for_reduce pool ~start:0 ~finish:1 ~body:ignore
            (fun () () -> ())
            ());
      over "scan" (fun () ->
          ignore (Task.parallel_scan pool ( + ) [||] : int array));
      over "find" (fun () ->
          ignore
            (Task.parallel_find pool ~start:0 ~finish:1 ~body:Option.some
              : int option)))
    [ 0; 2 ]

let outside_of_any_run () =
  let unhandled what f =
    match f () with
    | () -> Alcotest.fail (what ^ " returned")
    | exception Effect.Unhandled _ -> ()
  in
  with_pool 1 (fun pool ->
      let go = Atomic.make false in
      let task = Task.async pool (fun () -> spin_until go) in
      unhandled "await" (fun () -> Task.await pool task);
      Atomic.set go true;
      unhandled "for" (fun () ->
          Task.parallel_for pool ~start:0 ~finish:99 ~body:(fun _ ->
              assert false));
      unhandled "reduce" (fun () ->
          Task.parallel_for_reduce pool ~start:0 ~finish:99
            ~body:(fun _ -> assert false)
            (fun () () -> ())
            ());
      unhandled "find" (fun () ->
          ignore
            (Task.parallel_find pool ~start:0 ~finish:99 ~body:(fun _ ->
                 assert false)));
      Task.parallel_for pool ~chunk_size:100 ~start:0 ~finish:99 ~body:ignore);
  with_pool 0 (fun pool ->
      let task = Task.async pool ignore in
      unhandled "await" (fun () -> Task.await pool task);
      check Alcotest.int "a plain loop" 4950
        (Task.parallel_for_reduce pool ~start:0 ~finish:99 ~body:Fun.id ( + ) 0))

let names () =
  let look = Task.lookup_pool in
  let is pool = function Some other -> other == pool | None -> false in
  check Alcotest.bool "none" true (look "named" = None);
  let a = Task.setup_pool ~name:"named" ~num_domains:2 () in
  check Alcotest.int "domains" 3 (Task.get_num_domains a);
  check Alcotest.bool "found" true (is a (look "named"));
  check Alcotest.bool "another name" true (look "other" = None);
  let b = Task.setup_pool ~name:"named" ~num_domains:0 () in
  check Alcotest.int "one" 1 (Task.get_num_domains b);
  check Alcotest.bool "the last one" true (is b (look "named"));
  Task.teardown_pool b;
  check Alcotest.bool "the one before" true (is a (look "named"));
  Task.teardown_pool a;
  check Alcotest.bool "gone" true (look "named" = None)

let several_pools () =
  List.iter
    (fun (m, n) ->
      with_pool m (fun one ->
          with_pool n (fun two ->
              let of_two =
                Task.run one (fun () ->
                    let a = Task.async one (fun () -> fib one 10) in
                    let b, of_two =
                      Task.run two (fun () ->
                          let c = Task.async one (fun () -> fib one 11) in
                          let d = Task.async two (fun () -> fib two 12) in
                          let sum =
                            Task.parallel_for_reduce one ~start:1 ~finish:100
                              ~body:Fun.id ( + ) 0
                          in
                          check Alcotest.int "a loop of the other pool" 5050 sum;
                          ( Task.await one c + Task.await two d,
                            Task.async two (fun () -> 7) ))
                    in
                    check Alcotest.int "both"
                      (55 + 89 + 144)
                      (Task.await one a + b);
                    raises "an exception" Exit (fun () ->
                        Task.run two (fun () -> raise Exit));
                    of_two)
              in
              check Alcotest.int "later" 7
                (Task.run one (fun () -> Task.await two of_two)))))
    [ (0, 0); (0, 2); (2, 0); (2, 1) ]

let in_a_run_of_dromos pool =
  check Alcotest.int "run" 55
    (Dromos.run ~workers:2 (fun () -> Task.run pool (fun () -> fib pool 10)));
  check Alcotest.int "without run" 55
    (Dromos.run ~workers:2 (fun () -> fib pool 10))

(* [Dromos.run] refuses to block a task of the real Domainslib. *)
let a_run_of_dromos_inside pool =
  check Alcotest.int "in the function" 3
    (Task.run pool (fun () -> Dromos.run (fun () -> 3)));
  check Alcotest.int "in a task" 4
    (Task.run pool (fun () ->
         Task.await pool (Task.async pool (fun () -> Dromos.run (fun () -> 4)))));
  check Alcotest.int "in a domain made by a task" 5
    (Task.run pool (fun () ->
         Domain.join (Domain.spawn (fun () -> Task.run pool (fun () -> 5)))))

let teardown_waits () =
  let ended = ref false in
  with_pool 1 (fun pool ->
      ignore
        (Task.async pool (fun () ->
             Dromos.sleep 0.02;
             ended := true)
          : unit Task.promise));
  check Alcotest.bool "the task is over" true !ended

(* {1 Effects} *)

type _ Effect.t += Next : int Effect.t

let counting f =
  let n = ref 0 in
  let effc (type a) :
      a Effect.t -> ((a, _) Effect.Deep.continuation -> _) option = function
    | Next ->
        Some
          (fun k ->
            incr n;
            Effect.Deep.continue k !n)
    | _ -> None
  in
  Effect.Deep.try_with f () { effc }

let effects pool =
  check Alcotest.int "around an await" 3
    (Task.run pool (fun () ->
         let slow =
           Task.async pool (fun () ->
               Dromos.sleep 0.005;
               0)
         in
         counting (fun () ->
             let a = Effect.perform Next in
             let zero = Task.await pool slow in
             a + zero + Effect.perform Next)));
  Task.run pool (fun () ->
      let task =
        counting (fun () -> Task.async pool (fun () -> Effect.perform Next))
      in
      match Task.await pool task with
      | (_ : int) -> Alcotest.fail "a task saw its maker's handler"
      | exception Effect.Unhandled Next -> ())

(* {1 Channels} *)

let channels () =
  let c = Chan.make_bounded 1 in
  check Alcotest.bool "room" true (Chan.send_poll c 1);
  check Alcotest.bool "full" false (Chan.send_poll c 2);
  check Alcotest.(option int) "one" (Some 1) (Chan.recv_poll c);
  check Alcotest.(option int) "empty" None (Chan.recv_poll c);
  let hundred = List.init 100 Fun.id in
  let through c =
    let d = Domain.spawn (fun () -> List.init 100 (fun _ -> Chan.recv c)) in
    List.iter (Chan.send c) hundred;
    check Alcotest.(list int) "in order" hundred (Domain.join d)
  in
  through c;
  through (Chan.make_bounded 0);
  let r = Chan.make_bounded 0 in
  check Alcotest.bool "no task receives" false (Chan.send_poll r 1);
  check Alcotest.(option int) "no task sends" None (Chan.recv_poll r);
  let u = Chan.make_unbounded () in
  List.iter (Chan.send u) hundred;
  check
    Alcotest.(list int)
    "unbounded" hundred
    (List.init 100 (fun _ -> Chan.recv u));
  raises "negative" (Invalid_argument "Chan.make_bounded") (fun () ->
      ignore (Chan.make_bounded (-1) : int Chan.t))

let channels_in_tasks pool =
  List.iter
    (fun c ->
      let got =
        Task.run pool (fun () ->
            let reader =
              Task.async pool (fun () ->
                  List.fold_left ( + ) 0 (List.init 300 (fun _ -> Chan.recv c)))
            in
            let writers =
              List.init 3 (fun k ->
                  Task.async pool (fun () ->
                      for i = 1 to 100 do
                        Chan.send c (i * (k + 1))
                      done))
            in
            List.iter (Task.await pool) writers;
            Task.await pool reader)
      in
      check Alcotest.int "sum" (6 * 5050) got)
    [ Chan.make_bounded 0; Chan.make_bounded 4; Chan.make_unbounded () ]

let () =
  Watch.suite "Domainslib on Dromos" @@ fun () ->
  Alcotest.run "Domainslib on Dromos"
    [
      ( "loops",
        List.concat
          [
            each "each index once" each_index_once;
            each "reduced in order" reduced_in_order;
            each "scanned" scanned;
            each "found" found;
            each "nested" nested_loops;
            each "failing" failing_loops;
            each "unharmed by a failure" unharmed_by_a_failure;
          ] );
      ( "tasks",
        List.concat
          [
            each "tasks" tasks;
            each "made outside" made_outside;
            [
              Watch.case "begins at once" begins_at_once;
              Watch.case "waits for a run" waits_for_a_run;
              Watch.case "on the caller" on_the_caller;
              Watch.case "truly parallel" truly_parallel;
              Watch.case "from several domains" from_several_domains;
            ];
          ] );
      ( "exceptions",
        List.concat
          [
            each "backtraces" backtraces;
            each "failures for awaiting tasks" of_who_awaits;
            each "nothing is cancelled" nothing_is_cancelled;
          ] );
      ( "pools",
        Watch.case "errors" errors
        :: Watch.case "outside of any run" outside_of_any_run
        :: Watch.case "names" names
        :: Watch.case "several" several_pools
        :: Watch.case "teardown waits" teardown_waits
        :: List.concat
             [
               each "in a run of Dromos" in_a_run_of_dromos;
               each "a run of Dromos inside" a_run_of_dromos_inside;
             ] );
      ("effects", each "effects" effects);
      ( "channels",
        Watch.case "bounded and unbounded" channels
        :: each "in tasks" channels_in_tasks );
    ]
