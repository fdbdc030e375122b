module Deadline = Dromos.Sched.Deadline

let noted f =
  let said = Queue.create () in
  Dromos.run ~workers:1 (fun () ->
      Deadline.run (fun t -> f t (fun s -> Queue.add s said)));
  List.of_seq (Queue.to_seq said)

let order = Watch.check Alcotest.(list string)

(* Deadlines in an order other than the order of arrival; all steps of a fiber
   have the fiber's deadline, so the fiber runs through. *)
let earliest () =
  for _ = 1 to 50 do
    let fibers =
      List.init
        (1 + Contender.draw 8)
        (fun i ->
          let none = Contender.draw 4 = 0 in
          (i, if none then None else Some (float (10 + Contender.draw 1000))))
    in
    let at = function _, None -> infinity | _, Some s -> s in
    let sorted = List.stable_sort (fun a b -> compare (at a) (at b)) fibers in
    let steps i =
      [ Printf.sprintf "%d begins" i; Printf.sprintf "%d ends" i ]
    in
    let timed = List.filter (fun f -> at f < infinity) sorted in
    let rest = List.filter (fun f -> at f = infinity) sorted in
    let expected =
      List.concat_map (fun (i, _) -> steps i) timed
      @ List.map (fun (i, _) -> List.hd (steps i)) rest
      @ List.map (fun (i, _) -> List.nth (steps i) 1) rest
    in
    order "order" expected
      (noted (fun t say ->
           List.iter
             (fun (i, deadline) ->
               Deadline.spawn t ?deadline (fun () ->
                   say (List.hd (steps i));
                   Dromos.yield ();
                   say (List.nth (steps i) 1)))
             fibers))
  done

(* A fiber that waited goes before fibers with later deadlines; children inherit
   the deadline; a deadline may change. *)
let changes () =
  order "order"
    [ "a waits"; "b"; "a"; "child"; "c sets"; "d"; "c" ]
    (noted (fun t say ->
         let p = Dromos.Promise.create () in
         Deadline.spawn t ~deadline:10. (fun () ->
             say "a waits";
             Dromos.await p;
             say "a";
             Deadline.spawn t (fun () -> say "child"));
         Deadline.spawn t ~deadline:20. (fun () ->
             say "b";
             ignore (Dromos.Promise.try_resolve p (Ok ()) : bool));
         Deadline.spawn t ~deadline:30. (fun () ->
             say "c sets";
             Deadline.set_deadline 100.;
             Dromos.yield ();
             say "c");
         Deadline.spawn t ~deadline:40. (fun () -> say "d")))

let changed_by_others () =
  order "order" [ "b"; "a"; "c" ]
    (noted (fun t say ->
         let job who = Dromos.Sched.fiber (fun () -> say who) in
         let a = job "a" and b = job "b" and c = job "c" in
         Deadline.give t ~deadline:10. a;
         Deadline.give t b;
         Deadline.give t ~deadline:5. c;
         Deadline.set_deadline_of t b 1.;
         Deadline.set_deadline_of t c 20.))

let jobs ?deadline ?(beside = fun _ -> ()) ~period n f =
  let reports = Queue.create () in
  Contender.on (fun () ->
      Deadline.run (fun t ->
          beside t;
          Deadline.every t ?deadline ~jobs:n ~period
            ~report:(fun job -> Queue.add job reports)
            f));
  List.of_seq (Queue.to_seq reports)

let numbers reports = List.map (fun (job : Deadline.job) -> job.number) reports

(* A job never begins before its release. The releases do not drift, although
   the work alone takes more than half of a period; a release is computed from
   the beginning of the job and the wait that the job reports. Only the best of
   ten measurements counts, since the thread may lose its processor between the
   two looks at the clock. *)
let periodic () =
  let began = Queue.create () in
  let work () =
    Queue.add (Unix.gettimeofday ()) began;
    Unix.sleepf 0.003
  in
  let n = 40 and period = 0.005 in
  let reports = jobs ~period n work in
  Watch.check Alcotest.(list int) "jobs" (List.init n Fun.id) (numbers reports);
  List.iter
    (fun (job : Deadline.job) ->
      if job.waited < 0. then Alcotest.fail "begun before its release";
      if job.lateness < job.waited +. 0.003 -. period -. 0.001 then
        Alcotest.fail "over before it could be")
    reports;
  let release began (job : Deadline.job) =
    began -. job.waited -. (float job.number *. period)
  in
  let releases = List.map2 release (List.of_seq (Queue.to_seq began)) reports in
  let best l = List.fold_left Float.min infinity l in
  let first = best (List.filteri (fun i _ -> i < 10) releases)
  and last = best (List.filteri (fun i _ -> i >= n - 10) releases) in
  if Float.abs (last -. first) > 0.01 then
    Alcotest.failf "it drifts by %g s" (last -. first)

(* Jobs that take almost a whole period: the next release comes while the clock
   is read for it. *)
let just_in_time () =
  let n = 20_000 and period = 50e-6 in
  let began = ref 0. and first = ref infinity and next = ref 0 in
  let work () =
    began := Unix.gettimeofday ();
    incr next;
    let release = !first +. (float !next *. period) in
    let over = release -. (1e-7 *. float (Contender.draw 30)) in
    while !first < infinity && Unix.gettimeofday () < over do
      ()
    done
  in
  let report (job : Deadline.job) =
    if job.number = 0 then first := !began -. job.waited
  in
  Contender.on (fun () ->
      Deadline.run (fun t -> Deadline.every t ~jobs:n ~period ~report work));
  Watch.check Alcotest.int "jobs" n !next

(* A job of three periods: the next jobs are late, and none is left out. *)
let overrun () =
  let i = ref (-1) in
  let work () =
    incr i;
    if !i = 2 then Unix.sleepf 0.06
  in
  let reports = jobs ~period:0.02 ~deadline:0.01 12 work in
  Watch.check Alcotest.(list int) "jobs" (List.init 12 Fun.id) (numbers reports);
  let nth = List.nth reports in
  let at_least what bound x =
    if x < bound then Alcotest.failf "%s: %g, not %g" what x bound
  in
  at_least "lateness of 2" 0.05 (nth 2).lateness;
  at_least "waited of 3" 0.04 (nth 3).waited;
  at_least "waited of 4" 0.02 (nth 4).waited

(* Beside fibers without deadlines that only yield, a job waits for at most one
   of them to yield. *)
let before_others () =
  let stop = Atomic.make false in
  let beside t =
    for _ = 1 to 6 do
      Deadline.spawn t ~deadline:1000. (fun () ->
          while not (Atomic.get stop) do
            Together.spin 10_000;
            Dromos.yield ()
          done)
    done
  in
  let n = 20 in
  let done_ = ref 0 in
  let reports =
    jobs ~beside ~period:0.005 n (fun () ->
        incr done_;
        if !done_ = n then Atomic.set stop true)
  in
  let waits =
    List.sort compare (List.map (fun (j : Deadline.job) -> j.waited) reports)
  in
  let median = List.nth waits (n / 2) in
  if median > 0.25 then Alcotest.failf "median wait %g s" median

let refused () =
  let raises what f =
    match Dromos.run (fun () -> Deadline.run f) with
    | () -> Alcotest.failf "%s was accepted" what
    | exception Invalid_argument _ -> ()
  in
  raises "a period of 0" (fun t -> Deadline.every t ~period:0. ignore);
  raises "a negative period" (fun t -> Deadline.every t ~period:(-1.) ignore);
  raises "nan" (fun t -> Deadline.spawn t ~deadline:nan ignore)

let stopped () =
  Contender.on (fun () ->
      let some = Dromos.Latch.create 3 in
      match
        Dromos.Scope.run (fun scope ->
            Deadline.run (fun t ->
                Deadline.every t ~period:0.001 (fun () ->
                    if Dromos.Latch.count some > 0 then
                      Dromos.Latch.count_down some);
                Dromos.Latch.wait some;
                Dromos.Scope.cancel scope;
                Dromos.sleep 100.))
      with
      | () -> Alcotest.fail "it was not cancelled"
      | exception Dromos.Cancelled -> ())

let cases =
  [
    Watch.case "earliest first" earliest;
    Watch.case "changes" changes;
    Watch.case "changed by others" changed_by_others;
    Watch.case "periodic" periodic;
    Watch.case ~limit:20. "just in time" just_in_time;
    Watch.case "overrun" overrun;
    Watch.case "before others" before_others;
    Watch.case "stopped" stopped;
    Watch.case "refused" refused;
  ]
