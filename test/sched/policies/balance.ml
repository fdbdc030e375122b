module Sched = Dromos.Sched
module Load = Sched.Load_balancing

let host () = Sched.Vproc.id (Sched.Vproc.host ())

let turns () =
  let said = Queue.create () in
  let speak who n () =
    for i = 1 to n do
      Queue.add (Printf.sprintf "%s%d" who i) said;
      Dromos.yield ()
    done
  in
  Dromos.run ~workers:1 (fun () ->
      Load.run (fun t ->
          Load.spawn t (speak "a" 3);
          Load.spawn t (speak "b" 1);
          Load.spawn t (speak "c" 2)));
  Watch.check
    Alcotest.(list string)
    "order"
    [ "a1"; "b1"; "c1"; "a2"; "c2"; "a3" ]
    (List.of_seq (Queue.to_seq said))

(* Yields until [over ()]; the watchdog ends a test that waits in vain. *)
let roam ~over note () =
  while not (over ()) do
    note (host ());
    Together.spin 1_000;
    Dromos.yield ()
  done

(* All fibers begin on one vproc, and continue until every vproc has run
   some. *)
let everywhere () =
  for _ = 1 to 10 do
    Contender.on ~workers:4 (fun () ->
        let seen = Array.init 4 (fun _ -> Atomic.make false) in
        let over () = Array.for_all Atomic.get seen in
        Load.run (fun t ->
            let there = List.nth (Sched.Vproc.all ()) (Contender.draw 4) in
            for _ = 1 to 20 do
              Load.spawn t ~on:there
                (roam ~over (fun i -> Atomic.set seen.(i) true))
            done))
  done

(* The fibers spread again after all vprocs have been asleep for a while;
   several rounds. *)
let after_rest () =
  Contender.on ~workers:4 (fun () ->
      Load.run (fun t ->
          for round = 1 to 10 do
            Dromos.sleep 0.005;
            let moved = Atomic.make false in
            let there = List.nth (Sched.Vproc.all ()) (round mod 4) in
            let note i =
              if i <> Sched.Vproc.id there then Atomic.set moved true
            in
            Dromos.Scope.run (fun _ ->
                for _ = 1 to 10 do
                  Load.spawn t ~on:there
                    (roam ~over:(fun () -> Atomic.get moved) note)
                done)
          done;
          if Load.migrations t < 10 then
            Alcotest.failf "%d migrations" (Load.migrations t)))

(* Pinned fibers stay on their vproc, beside any other fibers, even after a
   wait. *)
let pinned () =
  Contender.on ~workers:4 (fun () ->
      let moved = Atomic.make false and strayed = Atomic.make false in
      Load.run (fun t ->
          let there = List.nth (Sched.Vproc.all ()) 2 in
          let stay i =
            if i <> Sched.Vproc.id there then Atomic.set strayed true
          in
          let over () = Atomic.get moved in
          for i = 1 to 20 do
            if i mod 2 = 0 then
              Load.spawn t ~on:there ~pinned:true (fun () ->
                  roam ~over stay ();
                  Dromos.sleep 0.001;
                  stay (host ()))
            else
              Load.spawn t ~on:there
                (roam ~over (fun i ->
                     if i <> Sched.Vproc.id there then Atomic.set moved true))
          done);
      Watch.check Alcotest.bool "strayed" false (Atomic.get strayed))

(* No fiber can be stolen, although thieves wait all the time. *)
let only_pinned () =
  Contender.on ~workers:4 (fun () ->
      Load.run (fun t ->
          let there = List.nth (Sched.Vproc.all ()) 1 in
          for _ = 1 to 10 do
            Load.spawn t ~on:there ~pinned:true (fun () ->
                for _ = 1 to 200 do
                  Together.spin 100;
                  Dromos.yield ()
                done)
          done;
          Dromos.sleep 0.01;
          Watch.check Alcotest.int "migrations" 0 (Load.migrations t)))

(* Thieves that came in vain come again. *)
let in_vain () =
  Contender.on ~workers:4 (fun () ->
      Load.run (fun t ->
          let there = List.nth (Sched.Vproc.all ()) 1 in
          let moved = Atomic.make false in
          let over () = Atomic.get moved in
          for _ = 1 to 5 do
            Load.spawn t ~on:there ~pinned:true (roam ~over ignore)
          done;
          Dromos.sleep 0.02;
          Watch.check Alcotest.int "migrations" 0 (Load.migrations t);
          for _ = 1 to 5 do
            Load.spawn t ~on:there
              (roam ~over (fun i ->
                   if i <> Sched.Vproc.id there then Atomic.set moved true))
          done))

let preempted () =
  Contender.on ~workers:3 (fun () ->
      let ended = Atomic.make 0 in
      Sched.Preemption.run ~quantum:0.001 (fun () ->
          Load.run (fun t ->
              for _ = 1 to 12 do
                Load.spawn t (fun () ->
                    for _ = 1 to 5 do
                      Together.spin 2_000_000;
                      Dromos.yield ()
                    done;
                    Atomic.incr ended)
              done));
      Watch.check Alcotest.int "ended" 12 (Atomic.get ended))

let refused () =
  Dromos.run ~workers:2 (fun () ->
      let there = List.nth (Sched.Vproc.all ()) 1 in
      match
        Load.run
          ~vprocs:[ List.hd (Sched.Vproc.all ()) ]
          (fun t -> Load.spawn t ~on:there ignore)
      with
      | () -> Alcotest.fail "it was accepted"
      | exception Invalid_argument _ -> ())

let cases =
  [
    Watch.case "turns" turns;
    Watch.case "everywhere" everywhere;
    Watch.case "after rest" after_rest;
    Watch.case "pinned" pinned;
    Watch.case "only pinned" only_pinned;
    Watch.case ~limit:30. "in vain" in_vain;
    Watch.case "preempted" preempted;
    Watch.case "refused" refused;
  ]
