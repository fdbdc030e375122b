(* Unawaited failures are reported while the run is still active. A failure that
   follows another failure is kept with the first. *)

open With_run

exception Boom of int
exception Constant

(* On each hub, with 1, 2 and 4 workers; the second argument reads the reported
   failures. *)
let logged hubs f =
  hubs (fun hub ->
      List.iter
        (fun workers ->
          let told = Atomic.make [] in
          let rec tell e bt =
            let before = Atomic.get told in
            if not (Atomic.compare_and_set told before ((e, bt) :: before)) then
              tell e bt
          in
          f
            (fun g -> Dromos.run ~workers ~hub ~on_unhandled:tell g)
            (fun () -> List.rev (Atomic.get told)))
        [ 1; 2; 4 ])

let everywhere f = logged each_hub f

(* On a single hub, for a test that takes a second. *)
let somewhere f = logged (fun f -> f (pick Dromos.Hub.all)) f
let forget ?name f = ignore (Dromos.async ?name f : unit Dromos.Promise.t)
let[@inline never] boom i = raise (Boom i)

let number = function
  | Boom i -> i
  | e -> raise (Wrong ("not a Boom: " ^ Printexc.to_string e))

let list what expected failures =
  List.iter
    (fun (_, bt) ->
      ensure "the place of the raise"
        (Said.contains (Printexc.raw_backtrace_to_string bt) "failures.ml"))
    failures;
  let text l = String.concat " " (List.map string_of_int l) in
  let got =
    List.sort Int.compare (List.map (fun (e, _) -> number e) failures)
  in
  if got <> expected then
    raise
      (Wrong
         (Printf.sprintf "%s: %s expected, %s got" what (text expected)
            (text got)))

let wait_until holds =
  while not (holds ()) do
    Dromos.sleep 0.005
  done

let fails_with first f =
  match f () with
  | _ -> raise (Wrong "no failure")
  | exception e when e = first -> e

(* {1 Reported failures} *)

(* The run ends only after the reports of both failures. *)
let while_it_runs () =
  somewhere (fun run told ->
      run (fun () ->
          forget (fun () -> boom 1);
          Dromos.Scope.run (fun _ ->
              forget ~name:"named" (fun () -> boom 2);
              wait_until (fun () -> List.length (told ()) = 2)));
      list "both, once" [ 1; 2 ] (told ()))

(* The fibers never wait, so no worker is idle. *)
let while_it_polls () =
  somewhere (fun run told ->
      run (fun () ->
          forget (fun () -> boom 1);
          while told () = [] do
            Dromos.yield ()
          done);
      list "once" [ 1 ] (told ()))

let at_the_end () =
  everywhere (fun run told ->
      let result =
        run (fun () ->
            let inner =
              Dromos.Scope.run (fun _ ->
                  forget (fun () -> boom 1);
                  2)
            in
            list "by the end of the scope" [ 1 ] (told ());
            forget (fun () -> boom 3);
            inner)
      in
      equal "nothing is raised" 2 result;
      list "by the end of the run" [ 1; 3 ] (told ()))

let awaited () =
  somewhere (fun run told ->
      run (fun () ->
          let p = Dromos.async (fun () -> boom 1) in
          wait_until (fun () -> Dromos.Promise.is_resolved p);
          ignore (fails_with (Boom 1) (fun () -> Dromos.await p));
          let derived =
            Dromos.Promise.map Fun.id (Dromos.async (fun () -> boom 2))
          in
          ignore (Dromos.Promise.result derived));
      list "nothing" [] (told ());
      run (fun () ->
          let p = Dromos.async (fun () -> boom 3) in
          wait_until (fun () -> told () <> []);
          ignore (fails_with (Boom 3) (fun () -> Dromos.await p)));
      list "once, and then awaited" [ 3 ] (told ()))

let as_a_fiber () =
  let key : int Dromos.Fls.key = Dromos.Fls.new_key () in
  List.iter
    (fun lasts ->
      let told = Atomic.make [] in
      let on_unhandled e _ =
        Dromos.sleep 1e-3;
        Dromos.await (Dromos.async ignore);
        let found = Option.value (Dromos.Fls.find_opt key) ~default:0 in
        Atomic.set told ((number e, found) :: Atomic.get told)
      in
      let work () =
        Dromos.Fls.let_ key 7 (fun () -> forget (fun () -> boom 1));
        if lasts then wait_until (fun () -> Atomic.get told <> [])
      in
      Dromos.run ~workers:2 ~on_unhandled work;
      ensure "its storage" (Atomic.get told = [ (1, 7) ]))
    [ true; false ]

(* A fiber that is cancelled, or times out, does not lose an earlier failure. *)
let cancelled () =
  let failing failed i =
    forget (fun () ->
        Fun.protect
          (fun () -> boom i)
          ~finally:(fun () -> Dromos.Promise.resolve failed ()))
  in
  everywhere (fun run told ->
      run (fun () ->
          ignore
            (fails_with Dromos.Cancelled (fun () ->
                 Dromos.Scope.run (fun s ->
                     let failed = Dromos.Promise.create () in
                     failing failed 1;
                     Dromos.await failed;
                     Dromos.Scope.cancel s;
                     Dromos.sleep 1000.)));
          ignore
            (fails_with (Boom 9) (fun () ->
                 Dromos.Scope.run (fun s ->
                     let failed = Dromos.Promise.create () in
                     failing failed 2;
                     Dromos.await failed;
                     Dromos.Scope.cancel s;
                     boom 9))));
      list "both" [ 1; 2 ] (told ()))

let nested () =
  let tell told e _ = Atomic.set told (number e :: Atomic.get told) in
  let outer = Atomic.make [] and inner = Atomic.make [] in
  Dromos.run ~workers:1 ~on_unhandled:(tell outer) (fun () ->
      Dromos.run ~on_unhandled:(tell inner) (fun () ->
          Dromos.Scope.run (fun _ -> forget (fun () -> boom 1)));
      Dromos.run (fun () -> forget (fun () -> boom 2)));
  ensure "inner" (Atomic.get inner = [ 1 ]);
  ensure "outer" (Atomic.get outer = [ 2 ])

let losers () =
  everywhere (fun run told ->
      run (fun () ->
          let both = Dromos.Barrier.create 2 in
          let job i () =
            ignore (Dromos.Barrier.wait both);
            boom i
          in
          match Dromos.race [ job 1; job 2 ] with
          | () -> raise (Wrong "no failure")
          | exception Boom i -> list "the other one" [ 3 - i ] (told ())))

let many () =
  let n = 20_000 in
  somewhere (fun run told ->
      run (fun () ->
          times n (fun i -> forget (fun () -> boom i));
          if Random.State.bool Watch.chance then
            wait_until (fun () -> List.length (told ()) = n));
      list "each, once" (List.init n succ) (told ()))

(* A reader that gives up before the failure has not read the failure. *)
let readers_that_leave () =
  let waits_in_vain q =
    [
      (fun () -> Dromos.Promise.await_for 0.001 q);
      (fun () -> Dromos.timeout 0.001 (fun () -> Dromos.await q));
      (fun () ->
        Dromos.Event.(select [ Dromos.Promise.await_event q; always () ]));
      (fun () ->
        ignore (Dromos.Event.poll (Dromos.Promise.await_event q) : unit option));
      (fun () ->
        Dromos.await (Dromos.Promise.map ignore (Dromos.Promise.return ()));
        Dromos.Promise.await_for 0.001 (Dromos.Promise.map Fun.id q));
      (fun () ->
        Dromos.any
          [ (fun () -> Dromos.await q); (fun () -> Dromos.sleep 0.001) ]);
    ]
  in
  everywhere (fun run told ->
      run (fun () ->
          let go = Dromos.Promise.create () in
          let failing i =
            Dromos.async (fun () ->
                Dromos.await go;
                boom i)
          in
          let n = List.length (waits_in_vain (Dromos.Promise.create ())) in
          for i = 1 to n do
            let wait = List.nth (waits_in_vain (failing i)) (i - 1) in
            try wait () with Dromos.Timeout -> ()
          done;
          Dromos.Promise.resolve go ());
      list "each" [ 1; 2; 3; 4; 5; 6 ] (told ()));
  (* Two tasks fail; only the chosen task's failure counts as read. *)
  everywhere (fun run told ->
      run (fun () ->
          let p = Dromos.async (fun () -> boom 1)
          and q = Dromos.async (fun () -> boom 1) in
          Dromos.yield ();
          wait_until (fun () -> Dromos.Promise.(is_resolved p && is_resolved q));
          ignore
            (fails_with (Boom 1) (fun () ->
                 Dromos.Event.select
                   [
                     Dromos.Promise.await_event p; Dromos.Promise.await_event q;
                   ])));
      list "the other" [ 1 ] (told ()))

(* A result found by a search hides the failures to its right. *)
let found () =
  everywhere (fun run told ->
      run (fun () ->
          for _ = 1 to 20 do
            let found =
              Dromos.Par.find_opt ~grain:1 0 64 (fun i ->
                  if i > 40 then boom i;
                  Dromos.yield ();
                  i = 20)
            in
            ensure "found" (found = Some 20)
          done);
      list "nothing" [] (told ()))

(* {1 Printed} *)

(* By default a notice is printed, and the exception is raised at the end. *)
let notice () =
  let text =
    Said.on_stderr (fun text ->
        ignore
          (fails_with (Boom 1) (fun () ->
               go ~workers:2 (fun () ->
                   forget ~name:"conn-7" (fun () -> boom 1);
                   wait_until (fun () -> Said.contains (text ()) "conn-7")))))
  in
  List.iter
    (fun part -> ensure (part ^ " in: " ^ text) (Said.contains text part))
    [ "task \"conn-7\""; "Failures.Boom(1)"; "failures.ml" ]

let raising_handler () =
  let text =
    Said.on_stderr (fun _ ->
        Dromos.run
          ~on_unhandled:(fun _ _ -> failwith "on purpose")
          (fun () -> forget (fun () -> boom 1)))
  in
  List.iter
    (fun part -> ensure (part ^ " in: " ^ text) (Said.contains text part))
    [ "Boom(1)"; "on_unhandled"; "on purpose" ]

(* {1 Failures kept with the first} *)

let kept what expected e = list what expected (Dromos.suppressed e)

let tasks_of_a_scope () =
  everywhere (fun run told ->
      let meet = Dromos.Barrier.create 3 in
      let fail i () =
        ignore (Dromos.Barrier.wait meet);
        boom i
      in
      (match
         run (fun () ->
             Dromos.Scope.run (fun s ->
                 List.iter (fun i -> Dromos.Scope.fork s (fail i)) [ 1; 2; 3 ]))
       with
      | () -> raise (Wrong "no failure")
      | exception (Boom i as e) ->
          let others = List.filter (( <> ) i) [ 1; 2; 3 ] in
          kept "through scope and run" others e;
          ensure "printed"
            (Said.contains (Printexc.to_string e)
               (Printf.sprintf "Boom(%d)" (List.hd others))));
      list "not told as well" [] (told ()))

let cleaning_up () =
  everywhere (fun run told ->
      let e =
        fails_with (Boom 1) (fun () ->
            run (fun () ->
                Dromos.Scope.run (fun s ->
                    let waits = Dromos.Latch.create 3 in
                    for i = 2 to 4 do
                      Dromos.Scope.fork s (fun () ->
                          Dromos.Latch.count_down waits;
                          try Dromos.sleep 1000.
                          with Dromos.Cancelled -> boom i)
                    done;
                    Dromos.Latch.wait waits;
                    boom 1)))
      in
      kept "clean-up code" [ 2; 3; 4 ] e;
      list "not told as well" [] (told ()))

(* Clean-up code of a branch that is cancelled with the branch around it. *)
let branches_in_branches () =
  each_hub (fun hub ->
      Dromos.run ~workers:4 ~hub (fun () ->
          let told = ref [] in
          let fails () =
            Dromos.run
              ~on_unhandled:(fun e _ -> told := e :: !told)
              (fun () ->
                let taken = Atomic.make 0 in
                let clean i =
                  Atomic.incr taken;
                  try Dromos.sleep 1000. with Dromos.Cancelled -> boom i
                in
                Dromos.both
                  (fun () ->
                    while Atomic.get taken < 2 do
                      Dromos.yield ()
                    done;
                    boom 1)
                  (fun () ->
                    Dromos.both
                      (fun () -> clean 2)
                      (fun () ->
                        Dromos.both
                          (fun () -> Dromos.sleep 1000.)
                          (fun () -> clean 3))))
          in
          let e = fails_with (Boom 1) fails in
          let kept = List.map (fun (e, _) -> number e) (Dromos.suppressed e) in
          ensure "kept" (List.exists (fun i -> i = 2 || i = 3) kept);
          ensure "not told" (!told = [])))

exception Changes of int ref

(* The failure is found by its identity, even if its contents change. *)
let contents_change () =
  let cell = ref 0 in
  match
    Dromos.run (fun () ->
        Dromos.Scope.run (fun s ->
            let ready = Dromos.Latch.create 1 in
            Dromos.Scope.fork s (fun () ->
                Dromos.Latch.count_down ready;
                try Dromos.sleep 1000. with Dromos.Cancelled -> boom 2);
            Dromos.Latch.wait ready;
            raise (Changes cell)))
  with
  | () -> raise (Wrong "no failure")
  | exception e ->
      incr cell;
      kept "after a change" [ 2 ] e

(* A failure raised again by awaiting tasks counts once. *)
let raised_again () =
  everywhere (fun run _ ->
      let e =
        fails_with (Boom 1) (fun () ->
            run (fun () ->
                Dromos.Scope.run (fun s ->
                    let p = Dromos.Scope.async s (fun () -> boom 1) in
                    for _ = 1 to 3 do
                      Dromos.Scope.fork s (fun () -> Dromos.await p)
                    done;
                    Dromos.await p)))
      in
      kept "none" [] e)

let branches () =
  each_hub (fun hub ->
      Dromos.run ~workers:2 ~hub (fun () ->
          let e =
            fails_with (Boom 1) (fun () ->
                let taken = Atomic.make false in
                Dromos.both
                  (fun () ->
                    spin_until "the branch" taken;
                    boom 1)
                  (fun () ->
                    Atomic.set taken true;
                    try Dromos.sleep 1000. with Dromos.Cancelled -> boom 2))
          in
          kept "the right branch" [ 2 ] e;
          (* Searches leave a loop by a private exception. *)
          let found =
            Dromos.Par.exists ~grain:1 0 1000 (fun i ->
                if i land 1 = 0 then Dromos.yield ();
                i >= 500)
          in
          ensure "found" found))

let unread_tasks () =
  everywhere (fun _ told ->
      (match
         Dromos.run ~workers:1 (fun () ->
             List.iter (fun i -> forget (fun () -> boom i)) [ 1; 2; 3 ])
       with
      | () -> raise (Wrong "no failure")
      | exception (Boom i as e) ->
          kept "the others" (List.filter (( <> ) i) [ 1; 2; 3 ]) e);
      list "without a function" [] (told ()))

let around_each_other () =
  let clean i = try Dromos.sleep 1000. with Dromos.Cancelled -> boom i in
  everywhere (fun run _ ->
      let e =
        fails_with (Boom 1) (fun () ->
            run (fun () ->
                Dromos.Scope.run (fun outer ->
                    let ready = Dromos.Latch.create 2 in
                    let task i () =
                      Dromos.Latch.count_down ready;
                      clean i
                    in
                    Dromos.Scope.fork outer (task 2);
                    Dromos.Scope.run (fun inner ->
                        Dromos.Scope.fork inner (task 3);
                        Dromos.Latch.wait ready;
                        boom 1))))
      in
      kept "the failures of both scopes" [ 2; 3 ] e)

(* A signal handler's exception ends the run; clean-up code then raises too. *)
let interrupted () =
  let before = Sys.signal Sys.sigusr1 (Signal_handle (fun _ -> boom 1)) in
  Fun.protect
    (fun () ->
      everywhere (fun run _ ->
          let e =
            fails_with (Boom 1) (fun () ->
                run (fun () ->
                    Dromos.Scope.run (fun s ->
                        let ready = Dromos.Latch.create 1 in
                        Dromos.Scope.fork s (fun () ->
                            Dromos.Latch.count_down ready;
                            try Dromos.sleep 1000.
                            with Dromos.Cancelled -> boom 2);
                        Dromos.Latch.wait ready;
                        Unix.kill (Unix.getpid ()) Sys.sigusr1;
                        Dromos.sleep 1000.)))
          in
          kept "clean-up code" [ 2 ] e))
    ~finally:(fun () -> Sys.set_signal Sys.sigusr1 before)

(* A constant exception can carry no other failures. *)
let constant () =
  everywhere (fun run told ->
      ignore
        (fails_with Constant (fun () ->
             run (fun () ->
                 Dromos.Scope.run (fun s ->
                     let ready = Dromos.Latch.create 1 in
                     Dromos.Scope.fork s (fun () ->
                         Dromos.Latch.count_down ready;
                         try Dromos.sleep 1000.
                         with Dromos.Cancelled -> boom 2);
                     Dromos.Latch.wait ready;
                     raise Constant))));
      ensure "none with it" (Dromos.suppressed Constant = []);
      list "told" [ 2 ] (told ()))

let bounded () =
  let n = 1000 in
  everywhere (fun run _ ->
      let e =
        fails_with (Boom 0) (fun () ->
            run (fun () ->
                Dromos.Scope.run (fun s ->
                    let ready = Dromos.Latch.create n in
                    for i = 1 to n do
                      Dromos.Scope.fork s (fun () ->
                          Dromos.Latch.count_down ready;
                          try Dromos.sleep 1000.
                          with Dromos.Cancelled -> boom i)
                    done;
                    Dromos.Latch.wait ready;
                    boom 0)))
      in
      equal "the first hundred" 100 (List.length (Dromos.suppressed e));
      ensure "short" (String.length (Printexc.to_string e) < 200))

(* Failures passed to the program's function are not kept in memory. *)
let no_leak_of_told () =
  let live () =
    Gc.full_major ();
    (Gc.quick_stat ()).heap_words
  in
  let told = Atomic.make 0 and made = ref 0 in
  Dromos.run ~workers:2
    ~on_unhandled:(fun _ _ -> Atomic.incr told)
    (fun () ->
      let round () =
        times 4000 (fun i -> forget (fun () -> boom i));
        made := !made + 4000;
        wait_until (fun () -> Atomic.get told = !made)
      in
      times 2 (fun _ -> round ());
      let before = live () in
      times 5 (fun _ -> round ());
      (* At most two rounds stay until the list is cut; five rounds are 760,000
         words. *)
      let more = live () - before in
      ensure (Printf.sprintf "%d words more" more) (more < 450_000))

(* The entry of an exception is freed with the exception. *)
let no_leak () =
  let failing () =
    ignore
      (Dromos.run ~workers:1 (fun () ->
           match
             Dromos.Scope.run (fun s ->
                 let held = Bytes.create 100_000 in
                 Dromos.Scope.fork s (fun () ->
                     try Dromos.sleep 1000.
                     with Dromos.Cancelled -> failwith (Bytes.to_string held));
                 Dromos.yield ();
                 boom 1)
           with
           | () -> ()
           | exception Boom _ -> ()))
  in
  let live () =
    Gc.full_major ();
    (Gc.quick_stat ()).heap_words
  in
  times 10 (fun _ -> failing ());
  let before = live () in
  times 500 (fun _ -> failing ());
  let more = live () - before in
  ensure (Printf.sprintf "%d words more" more) (more < 2_000_000)

let cases =
  List.map
    (fun (name, f) -> Watch.case name f)
    [
      ("told while the run goes on", while_it_runs);
      ("told while fibers poll", while_it_polls);
      ("told at the end", at_the_end);
      ("not told if awaited", awaited);
      ("told by a fiber", as_a_fiber);
      ("told of what is cancelled", cancelled);
      ("nested runs", nested);
      ("losers of a race", losers);
      ("readers that leave", readers_that_leave);
      ("searches", found);
      ("many", many);
      ("printed", notice);
      ("a function that raises", raising_handler);
      ("kept: tasks of a scope", tasks_of_a_scope);
      ("kept: clean-up", cleaning_up);
      ("kept: one that is raised again", raised_again);
      ("kept: branches", branches);
      ("kept: branches in branches", branches_in_branches);
      ("kept: contents change", contents_change);
      ("kept: tasks that are not awaited", unread_tasks);
      ("kept: scopes around each other", around_each_other);
      ("kept: with a handler's exception", interrupted);
      ("constant exceptions", constant);
      ("kept: a hundred", bounded);
      ("kept: as long as the exception", no_leak);
      ("told: not kept", no_leak_of_told);
    ]
