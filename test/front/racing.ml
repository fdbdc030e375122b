(* The first of several jobs, and many tasks at a time. *)

open With_run
module Tasks = Dromos.Tasks

exception First
exception Second

let everywhere f =
  each_hub (fun hub ->
      List.iter (fun workers -> go ~workers ~hub f) [ 1; 2; 4 ])

(* Counts the running jobs, in [running]. *)
let counted running f () =
  Atomic.incr running;
  Fun.protect f ~finally:(fun () -> Atomic.decr running)

let computes () : unit =
  while true do
    Dromos.check ()
  done

let fails e () = raise e
let option = Alcotest.(option int)

let late v () =
  Dromos.sleep 1e-4;
  v

let answers () =
  everywhere (fun () ->
      equal "any" 1 (Dromos.any [ fails First; late 1; fails Second ]);
      equal "race" 2
        (Dromos.race
           [
             (fun () ->
               never ();
               0);
             late 2;
           ]);
      raises "race" First (fun () ->
          Dromos.race
            [
              (fun () ->
                never ();
                0);
              fails First;
            ]
            ~on_failure:(fun _ _ -> ()));
      let some v () = Some v and none () = None in
      Watch.check option "first" (Some 3) (Dromos.first [ none; some 3; none ]);
      Watch.check option "none" None (Dromos.first [ none; none ]);
      Watch.check option "no jobs" None (Dromos.first []);
      raises "first raises" Second (fun () ->
          Dromos.first
            [
              (fun () ->
                never ();
                None);
              fails Second;
            ]);
      raises "the leftmost" First (fun () ->
          Dromos.any
            [
              (fun () ->
                Dromos.sleep 1e-4;
                raise First);
              fails Second;
            ]))

(* Two jobs more than workers; all except the last compute for ever: the last
   decides. *)
let fair () =
  everywhere (fun () ->
      let running = Atomic.make 0 in
      let n = Dromos.workers () + 2 in
      let job i =
        counted running (fun () ->
            if i = n - 1 then Some (late i ())
            else (
              computes ();
              None))
      in
      Watch.check option "first" (Some (n - 1)) (Dromos.first (List.init n job));
      equal "losers are over" 0 (Atomic.get running);
      (* All jobs begin. *)
      let begun = Atomic.make 0 in
      let all_begun i () =
        Atomic.incr begun;
        while Atomic.get begun < n do
          Dromos.check ()
        done;
        i
      in
      ensure "all begin" (Dromos.race (List.init n all_begun) < n))

(* A race below another race, and in a run with forced preemption. *)
let fair_inside () =
  each_hub (fun hub ->
      let race () =
        Dromos.any
          [
            (fun () ->
              computes ();
              0);
            (fun () ->
              computes ();
              0);
            late 1;
          ]
      in
      let both () =
        Dromos.any
          [
            race;
            (fun () ->
              computes ();
              0);
            (fun () ->
              computes ();
              0);
          ]
      in
      equal "nested" 1 (go ~workers:2 ~hub both);
      equal "preempted" 1 (Dromos.run ~workers:2 ~hub ~preempt:true race))

let at_most () =
  everywhere (fun () ->
      let running = Atomic.make 0 and most = Atomic.make 0 in
      let begun = Array.make 20 false in
      let rec raise_to n =
        let seen = Atomic.get most in
        if n > seen && not (Atomic.compare_and_set most seen n) then raise_to n
      in
      let job i =
        counted running (fun () ->
            begun.(i) <- true;
            raise_to (Atomic.get running);
            Dromos.yield ();
            (* Two jobs wait for ever, and keep two of the three places. *)
            if i > 12 then never ();
            if i = 12 then Some i else None)
      in
      Watch.check option "first" (Some 12)
        (Dromos.first ~max:3 (List.init 20 job));
      ensure "at most 3" (Atomic.get most <= 3);
      ensure "the last did not begin" (not begun.(19));
      Atomic.set most 0;
      let squares =
        Tasks.map ~max:3 (fun i ->
            job i () |> ignore;
            i * i)
      in
      Watch.check
        Alcotest.(list int)
        "map" [ 0; 1; 4; 9; 16 ]
        (squares [ 0; 1; 2; 3; 4 ]);
      ensure "at most 3 tasks" (Atomic.get most <= 3))

let leftovers () =
  everywhere (fun () ->
      let kept = ref [] and failures = ref [] in
      let discard v = kept := v :: !kept in
      let on_failure e _ = failures := e :: !failures in
      (* Two jobs ignore the cancellation: the first returns, the second
         fails. *)
      let stubborn f () =
        match never () with () -> 0 | exception Dromos.Cancelled -> f ()
      in
      let started = Atomic.make 0 in
      let begin_then f () =
        Atomic.incr started;
        f ()
      in
      let winner () =
        while Atomic.get started < 2 do
          Dromos.yield ()
        done;
        7
      in
      let jobs =
        [
          begin_then (stubborn (fun () -> 5));
          begin_then (stubborn (fails Second));
          winner;
        ]
      in
      equal "race" 7 (Dromos.race ~discard ~on_failure jobs);
      ensure "discarded" (!kept = [ 5 ]);
      ensure "told" (!failures = [ Second ]);
      (* If a discard raises, the remaining discards are still called. *)
      Atomic.set started 0;
      failures := [];
      raises "discard" First (fun () ->
          Dromos.race ~on_failure ~discard:(fun _ -> raise First) jobs);
      ensure "told all the same" (!failures = [ Second ]);
      (* All jobs fail: the leftmost failure is raised, the others are
         reported. *)
      failures := [];
      raises "any" First (fun () ->
          Dromos.any ~on_failure [ fails First; fails Second; fails Exit ]);
      ensure "the others" (!failures = [ Exit; Second ]))

(* A job is over when its own tasks are; their failures are the job's. *)
let tasks_of_jobs () =
  everywhere (fun () ->
      let running = Atomic.make 0 in
      let job () =
        ignore (Dromos.async (counted running never) : unit Dromos.Promise.t);
        never ();
        0
      in
      equal "any" 1 (Dromos.any [ job; late 1; job ]);
      equal "tasks are over" 0 (Atomic.get running);
      let fails_later () =
        ignore (Dromos.async (fails First) : unit Dromos.Promise.t);
        0
      in
      equal "a task's failure is its job's" 2
        (Dromos.any
           [
             fails_later;
             (fun () ->
               Dromos.sleep 0.002;
               2);
           ]))

let cancelled () =
  everywhere (fun () ->
      let running = Atomic.make 0 in
      let forms =
        [
          (fun jobs -> Dromos.any jobs);
          (fun jobs -> Dromos.race jobs);
          (fun jobs ->
            ignore
              (Dromos.first
                 (List.map
                    (fun f () ->
                      f ();
                      None)
                    jobs)));
          (fun jobs -> Tasks.iter (fun f -> f ()) jobs);
        ]
      in
      List.iter
        (fun form ->
          raises "cancelled" Dromos.Cancelled (fun () ->
              Dromos.Scope.run (fun scope ->
                  Dromos.Scope.fork scope (fun () ->
                      while Atomic.get running < 2 do
                        Dromos.yield ()
                      done;
                      Dromos.Scope.cancel scope);
                  form [ counted running never; counted running never ]));
          equal "all are over" 0 (Atomic.get running))
        forms)

let failing_tasks () =
  everywhere (fun () ->
      let running = Atomic.make 0 in
      let waits = counted running never in
      let boom () =
        while Atomic.get running < 2 do
          Dromos.yield ()
        done;
        raise First
      in
      raises "the first in time" First (fun () ->
          Tasks.all [ waits; waits; boom; waits ]);
      equal "the others are over" 0 (Atomic.get running);
      let begun = ref 0 in
      raises "max" First (fun () ->
          Tasks.iter ~max:1
            (fun i ->
              incr begun;
              if i = 2 then raise First)
            [ 1; 2; 3; 4 ]);
      equal "no further one begins" 2 !begun;
      Watch.check
        Alcotest.(list int)
        "filter_map" [ 1; 3 ]
        (Tasks.filter_map
           (fun i -> if i land 1 = 1 then Some i else None)
           [ 1; 2; 3 ]))

let misuse () =
  let invalid part f =
    match f () with
    | _ -> ensure part false
    | exception Invalid_argument text -> ensure text (contains text part)
  in
  go (fun () ->
      invalid "there are no jobs" (fun () -> Dromos.any []);
      invalid "there are no jobs" (fun () -> Dromos.race []);
      invalid "~max:0" (fun () -> Dromos.any ~max:0 [ late 1 ]);
      invalid "~max:-1" (fun () ->
          List.length (Tasks.map ~max:(-1) Fun.id [ 1 ])));
  let misplaced f =
    match f () with
    | () -> ensure "outside a run" false
    | exception Dromos.Misplaced _ -> ()
  in
  misplaced (fun () -> Dromos.any [ ignore ]);
  misplaced (fun () -> Dromos.race [ ignore; ignore ]);
  misplaced (fun () -> Tasks.iter ignore [ () ])

(* Storage does not pass from a job to the next job of the same fiber, and
   random numbers depend on the index only. *)
let surroundings () =
  let key = Dromos.Fls.new_key () in
  let draws workers =
    Dromos.run ~workers (fun () ->
        Dromos.Random.run ~seed:3 (fun () ->
            Tasks.map ~max:2
              (fun _ ->
                ensure "clean" (Dromos.Fls.find_opt key = None);
                Dromos.Fls.set key 1;
                Dromos.Random.int 1000)
              (List.init 20 Fun.id)))
  in
  ensure "the same draws" (draws 1 = draws 4)

let storm () =
  everywhere (fun () ->
      for i = 1 to 100 do
        let job k () =
          if k land 1 = 0 then Dromos.yield ();
          if k land 3 = 3 then raise First else k
        in
        ensure "one of them"
          (Dromos.any
             ~on_failure:(fun _ _ -> ())
             (List.init (2 + (i mod 7)) job)
          < 9)
      done)

(* A failure passed on by a derived promise is not reported again; an unawaited
   failure is reported. A cancelled waiter does not disturb other waiters. *)
let derived_promises () =
  everywhere (fun () ->
      let fine = Dromos.async (late 1) in
      let bad () = Dromos.async (fun () : int -> raise First) in
      let derive p = Dromos.Promise.(map succ (map fst (both fine p))) in
      Dromos.Scope.run (fun _ ->
          raises "awaited" First (fun () ->
              Dromos.await (Dromos.Promise.both (derive fine) (derive (bad ())))));
      raises "not awaited" First (fun () ->
          Dromos.Scope.run (fun _ ->
              ignore (derive (bad ()) : int Dromos.Promise.t)));
      let p = Dromos.Promise.create () in
      let mapped = Dromos.Promise.map succ p in
      raises "late" Dromos.Timeout (fun () ->
          Dromos.timeout 1e-4 (fun () -> Dromos.await mapped));
      Dromos.Promise.resolve p 4;
      equal "still there" 5 (Dromos.await mapped);
      equal "tasks" 6
        (List.fold_left ( + ) 0
           (Dromos.await
              (Dromos.Promise.all
                 (List.map (fun i -> Dromos.async (late i)) [ 1; 2; 3 ])))))

let cases =
  [
    case "answers" answers;
    case "computing jobs give way" fair;
    case "races in races, preempted runs" fair_inside;
    case "at most so many" at_most;
    case "late values and failures" leftovers;
    case "tasks of jobs" tasks_of_jobs;
    case "cancelled from outside" cancelled;
    case "tasks that fail" failing_tasks;
    case "misuse" misuse;
    case "storage and random numbers" surroundings;
    case "derived promises" derived_promises;
    case "storm" storm;
  ]
