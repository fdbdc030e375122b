(* Small traces, with results computed by hand. Times are microseconds after the
   first event. *)

open Dromos_policy_trace
open Trace

let task pid = { pid; comm = (if pid = 0 then "swapper" else "t") }

let event cpu current at what =
  { at = 5_000_000_000 + (at * 1000); cpu; current; what }

(* [prev] leaves to sleep, is preempted, or ends. *)
let switch ?(ready = false) ?(dead = false) cpu at prev next =
  event cpu prev at (Switch { prev = task prev; ready; dead; next = task next })

let preempt = switch ~ready:true ~dead:false

let wake ?(fresh = false) ?(by = 0) cpu at pid onto =
  event cpu by at (Wakeup { task = task pid; onto; fresh })

let waking ?(by = 0) cpu at pid onto =
  event cpu by at (Waking { task = task pid; onto })

let migrate ?(by = 0) cpu at pid from onto =
  event cpu by at (Migrate { task = task pid; from; onto })

let fork ~by cpu at pid = event cpu by at (Fork (task pid))
let lost cpu at n = event cpu (-1) at (Lost n)

(* {1 Checking} *)

let figures ?from ?until ?cpus ?overwritten events =
  let f = Summary.of_trace ?from ?until (make ?cpus ?overwritten events) in
  let total = f.time *. float f.cores in
  if f.busy < 0. || f.busy > 1. +. 1e-9 then Alcotest.failf "busy: %f" f.busy;
  if f.not_known > total +. 1e-6 then
    Alcotest.failf "not known: %f of %f" f.not_known total;
  List.iter
    (fun (u : Figures.used) ->
      if u.ran > u.could +. 1e-6 then
        Alcotest.failf "%s ran %f of %f" u.thread u.ran u.could)
    f.used;
  f

let time = Alcotest.(check (float 1e-6))
let count = Alcotest.(check int)

let times what ~n ~longest (w : Figures.times) =
  count (what ^ ": how many") n w.count;
  time (what ^ ": the longest") longest w.longest

let used what expected (f : Figures.t) =
  let row (u : Figures.used) = (u.thread, (u.ran, u.could)) in
  Alcotest.(check (list (pair string (pair (float 1e-6) (float 1e-6)))))
    what
    (List.sort compare expected)
    (List.sort compare (List.map row f.used))

(* {1 Traces} *)

let one_core () =
  let f =
    figures
      [
        preempt 0 0 1 2;
        wake ~by:2 0 10 3 0;
        switch 0 30 2 3;
        switch ~dead:true 0 50 3 1;
        switch 0 60 1 0;
      ]
  in
  time "time" 60. f.time;
  time "busy" 1. f.busy;
  time "nothing is idle" 0. f.idle_beside;
  times "woken" ~n:1 ~longest:20. f.woken;
  times "preempted" ~n:1 ~longest:50. f.preempted;
  count "switches" 3 f.switches;
  count "migrations" 0 f.migrations;
  count "still waiting" 0 f.still_waiting;
  used "used"
    [ ("t[1]", (10., 60.)); ("t[2]", (30., 30.)); ("t[3]", (20., 40.)) ]
    f;
  let shares = [ 1. /. 6.; 1.; 0.5 ] in
  let sum g = List.fold_left (fun s x -> s +. g x) 0. shares in
  time "fairness"
    (sum Fun.id *. sum Fun.id /. (3. *. sum (fun x -> x *. x)))
    f.fairness;
  match f.longest with
  | Some { thread = "t[1]"; since = 0.; lasted = 50.; over = true; _ } -> ()
  | _ -> Alcotest.fail "the longest wait is another"

(* Core 1 is idle from 0 to 5 and from 20 to 26, while core 0 has two
   threads. *)
let two_cores =
  [
    fork ~by:1 0 0 9;
    preempt 0 2 1 2;
    wake 1 5 3 1;
    switch 1 8 0 3;
    switch 1 20 3 0;
    migrate 1 26 1 0 1;
    switch 1 27 0 1;
    switch 0 40 2 0;
    switch 1 50 1 0;
  ]

let idle_beside () =
  let f = figures two_cores in
  time "time" 50. f.time;
  time "idle beside" (5. +. 6.) f.idle_beside;
  time "of it usable" 11. f.wasted;
  time "while" 11. f.wasted_while;
  count "spans" 2 f.wastes;
  (match f.longest_wastes with
  | { core = 1; from = 20.; until = 26.; overloaded = 0; threads = 2 } :: _ ->
      ()
  | _ -> Alcotest.fail "the longest span is another");
  time "busy" ((2. +. 38. +. 12. +. 23.) /. 100.) f.busy;
  times "woken" ~n:1 ~longest:3. f.woken;
  times "preempted" ~n:1 ~longest:25. f.preempted;
  count "moved" 1 f.moved;
  count "migrations" 1 f.migrations;
  count "switches" 3 f.switches;
  time "all is known" 0. f.not_known

(* From 22 to 45: core 1 idles for 4. Thread 1 has waited before, and ends
   later. *)
let window () =
  let f = figures ~from:22. ~until:45. two_cores in
  time "begins" 22. f.begins;
  time "time" 23. f.time;
  time "idle beside" 4. f.idle_beside;
  time "busy" ((18. +. 18.) /. 46.) f.busy;
  times "woken" ~n:0 ~longest:0. f.woken;
  times "preempted: it began before" ~n:0 ~longest:0. f.preempted;
  count "switches" 1 f.switches;
  used "used" [ ("t[1]", (18., 23.)); ("t[2]", (18., 18.)) ] f;
  let f = figures ~from:60. ~until:70. two_cores in
  time "after the end" 0. f.time

(* {2 What is not known} *)

let silent_core () =
  let f = figures ~cpus:3 [ preempt 0 0 1 2; preempt 0 10 2 1 ] in
  time "two cores say nothing" 20. f.not_known;
  time "they count as nothing" 0. f.idle_beside;
  time "busy, of what is known" 1. f.busy

let ready_before () =
  let f =
    figures
      [
        wake ~by:1 0 0 9 0;
        migrate 1 10 2 0 1;
        switch 1 12 0 2;
        preempt 0 20 1 9;
        switch 1 20 2 0;
      ]
  in
  time "core 1 idled while core 0 had threads 1, 2 and 9" 10. f.idle_beside;
  times "its wait began before" ~n:1 ~longest:20. f.woken;
  used "used"
    [ ("t[1]", (20., 20.)); ("t[2]", (8., 20.)); ("t[9]", (0., 20.)) ]
    f

let overwritten () =
  let f =
    figures ~overwritten:100
      [
        preempt 0 0 1 2; switch 1 10 0 3; wake 1 ~by:3 15 4 1; preempt 0 20 2 1;
      ]
  in
  time "core 1 before its first event" 10. f.not_known;
  time "nothing is said of it" 0. f.idle_beside;
  count "lost" 100 f.lost;
  used "thread 3 is not known to have been ready"
    [
      ("t[1]", (0., 20.));
      ("t[2]", (20., 20.));
      ("t[3]", (10., 10.));
      ("t[4]", (0., 5.));
    ]
    f

(* Core 1 is unknown from 10 to 30. *)
let events_lost () =
  let f =
    figures
      [
        preempt 0 0 1 2;
        switch 1 10 3 0;
        wake 0 ~by:2 15 4 1;
        lost 1 30 7;
        switch 1 30 5 0;
        switch 1 40 0 4;
        preempt 0 50 2 1;
      ]
  in
  count "lost" 7 f.lost;
  time "not known" 20. f.not_known;
  time "idle beside is what is left" 0. f.idle_beside;
  used "used"
    [
      ("t[1]", (0., 50.));
      ("t[2]", (50., 50.));
      ("t[3]", (10., 10.));
      ("t[4]", (10., 35.));
    ]
    f

(* Core 1 idles. From 15 on core 0 is unknown, with its ready threads 2 and 3.
   Thread 4 is ready there from 17 on. *)
let lost_ready () =
  let f =
    figures
      [
        wake ~by:1 0 0 2 0;
        wake ~by:1 0 10 3 0;
        wake 1 15 9 1;
        switch 1 15 0 9;
        switch 1 16 9 0;
        wake 1 17 4 0;
        lost 0 20 1;
        switch 0 20 5 0;
        switch 1 30 0 9;
      ]
  in
  time "while it is known" 10. f.idle_beside;
  time "not known" 10. f.not_known

(* The recorder begins on one core after the other: thread 1 cannot have run on
   both cores from the beginning. *)
let recorder_begins () =
  let f =
    figures
      [
        preempt 0 0 1 8;
        migrate ~by:8 0 1 1 0 1;
        switch 0 2 8 0;
        switch 1 30 1 0;
        switch 0 40 0 7;
      ]
  in
  time "core 1 before its first event" 30. f.not_known

(* Thread 1 is seen on core 1 without having left core 0, which has no further
   event. *)
let recorder_ends () =
  let f =
    figures
      [
        wake 0 ~by:1 0 8 0;
        wake 0 ~by:1 10 9 0;
        switch 1 30 0 1;
        switch 1 50 1 0;
      ]
  in
  time "core 0 after its last event" 40. f.not_known;
  time "busy, of what is known" (30. /. 60.) f.busy

let no_wakeups () =
  let f =
    figures
      [ switch 0 0 1 2; preempt 0 10 2 1; switch 0 15 1 2; switch 0 20 2 0 ]
  in
  Alcotest.(check bool) "said" false f.wakeups_recorded;
  times "woken" ~n:0 ~longest:0. f.woken;
  times "preempted" ~n:1 ~longest:5. f.preempted;
  used "used" [ ("t[1]", (5., 5.)); ("t[2]", (15., 20.)) ] f

(* {2 Wake-ups} *)

(* Linux woke thread 2 while the thread left core 0. Only the beginning of the
   wake-up is recorded. *)
let woken_while_leaving () =
  let f =
    figures
      [
        preempt 0 0 1 2;
        waking 1 10 2 0;
        switch 0 12 2 1;
        switch 0 20 1 2;
        switch 0 30 2 0;
      ]
  in
  times "preempted: it was ready at once" ~n:2 ~longest:12. f.preempted;
  used "used" [ ("t[1]", (8., 20.)); ("t[2]", (22., 30.)) ] f

(* The thread's core is chosen at its wake-up: no migration of a ready
   thread. *)
let placed_by_waker () =
  let f =
    figures
      [
        switch 1 0 2 0;
        waking ~by:1 0 10 2 1;
        migrate ~by:1 0 10 2 1 2;
        switch 2 15 0 2;
        waking 1 20 3 1;
        switch 1 22 0 3;
        migrate ~by:2 2 25 3 1 2;
        preempt 0 30 1 4;
      ]
  in
  count "none was moved" 0 f.moved;
  times "woken" ~n:2 ~longest:5. f.woken

(* For a moment the thread was on core 3, which is unknown before and after. *)
let placed_from_unknown () =
  let f =
    figures ~cpus:4
      [
        preempt 0 0 1 5;
        switch 1 2 6 0;
        waking ~by:5 0 10 2 3;
        migrate ~by:5 0 10 2 3 0;
        switch 1 20 0 6;
        switch 2 20 7 8;
      ]
  in
  time "core 1 alone" 18. f.idle_beside

(* In a trace with whole wake-ups their beginnings do not count. *)
let both_wakeups () =
  let f =
    figures [ waking 0 0 2 0; wake 0 4 2 0; switch 0 10 0 2; switch 0 20 2 0 ]
  in
  times "woken" ~n:1 ~longest:6. f.woken

let runs_already () =
  let f = figures [ wake ~by:1 0 0 1 0; wake ~by:1 0 5 1 0; switch 0 10 1 0 ] in
  times "woken" ~n:0 ~longest:0. f.woken;
  used "used" [ ("t[1]", (10., 10.)) ] f

(* The switch from the idle thread to thread 2 is missing. *)
let idle_switch_missing () =
  let f =
    figures [ switch 0 0 1 0; wake 0 10 2 0; switch 0 30 2 0; wake 0 40 1 0 ]
  in
  count "missing" 1 f.missing;
  time "all is known" 0. f.not_known;
  times "its wait is not" ~n:0 ~longest:0. f.woken;
  count "only thread 1 waits in the end" 1 f.still_waiting;
  used "used" [ ("t[2]", (20., 20.)) ] f

let idle_switch_missing_last () =
  let f = figures [ switch 0 0 1 0; wake 0 10 2 0; fork ~by:2 0 30 9 ] in
  count "it runs" 0 f.still_waiting;
  used "used" [ ("t[2]", (20., 20.)) ] f

let switch_missing () =
  let f = figures [ switch 0 0 1 0; switch 0 30 2 0; wake 0 40 1 0 ] in
  count "missing" 1 f.missing;
  time "not known" 30. f.not_known

(* {2 Threads} *)

let pid_again () =
  let f =
    figures
      [
        fork ~by:5 0 0 9;
        switch ~dead:true 0 2 5 1;
        fork ~by:1 0 10 5;
        wake ~fresh:true ~by:1 0 11 5 0;
        preempt 0 20 1 5;
        switch ~dead:true 0 30 5 1;
        switch 0 35 1 0;
      ]
  in
  used "two threads have had the number"
    [ ("t[1]", (23., 33.)); ("t[5]", (2., 2.)); ("t[5]", (10., 19.)) ]
    f;
  times "woken" ~n:1 ~longest:9. f.woken

(* Recorded from within a container: the recorder's number of the running thread
   is not the kernel's. *)
let other_numbers () =
  let f =
    figures
      (List.map
         (fun e -> { e with current = e.current + 7000 })
         [ preempt 0 0 1 2; wake 0 ~by:2 10 3 0; switch 0 30 2 3 ])
  in
  count "none is missing" 0 f.missing;
  used "used"
    [ ("t[1]", (0., 30.)); ("t[2]", (30., 30.)); ("t[3]", (0., 20.)) ]
    f

let new_name () =
  let named comm = { pid = 5; comm } in
  let f =
    figures
      [
        event 0 0 0
          (Switch
             { prev = task 0; ready = true; dead = false; next = named "sh" });
        event 0 5 10
          (Switch
             { prev = named "cc1"; ready = false; dead = false; next = task 0 });
      ]
  in
  used "the last name" [ ("cc1[5]", (10., 10.)) ] f

let cases =
  let case name f = Alcotest.test_case name `Quick f in
  [
    ( "by hand",
      [
        case "one core" one_core;
        case "idle beside two" idle_beside;
        case "a part of it" window;
      ] );
    ( "not known",
      [
        case "a core without events" silent_core;
        case "ready before the first event" ready_before;
        case "no beginning" overwritten;
        case "events lost" events_lost;
        case "events lost, threads ready" lost_ready;
        case "cores begin one after the other" recorder_begins;
        case "cores end one after the other" recorder_ends;
        case "no wake-ups" no_wakeups;
      ] );
    ( "wake-ups",
      [
        case "while leaving" woken_while_leaving;
        case "placed by the waker" placed_by_waker;
        case "placed, from a core that is not known" placed_from_unknown;
        case "begun and done" both_wakeups;
        case "a running thread" runs_already;
        case "no switch from idle" idle_switch_missing;
        case "no switch from idle, at the end" idle_switch_missing_last;
        case "no switch" switch_missing;
      ] );
    ( "threads",
      [
        case "a pid given again" pid_again;
        case "other numbers" other_numbers;
        case "a new name" new_name;
      ] );
  ]
