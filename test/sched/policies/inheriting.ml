(* Priority inheritance: the order of fibers while locks are held. *)

module Priority = Dromos.Sched.Priority
module Mutex = Dromos.Mutex
module Rwlock = Dromos.Rwlock

let order = Watch.check Alcotest.(list string)

let noted ?ageing ?inherits f =
  let said = Queue.create () in
  let say s = Queue.add s said in
  Dromos.run ~workers:1 (fun () ->
      Priority.run ?ageing ?inherits (fun t -> f t say));
  List.of_seq (Queue.to_seq said)

let middle t say =
  Priority.spawn t ~priority:5 (fun () ->
      for i = 1 to 3 do
        say (Printf.sprintf "middle%d" i);
        Dromos.yield ()
      done)

let middles = [ "middle1"; "middle2"; "middle3" ]

(* The low fiber holds the lock, the high fiber comes and waits for it, the
   middle fiber could run. *)
let inversion ~hold ~want ?ageing ?inherits () =
  noted ?ageing ?inherits (fun t say ->
      Priority.spawn t ~priority:1 (fun () ->
          hold (fun () ->
              Priority.spawn t ~priority:9 (fun () ->
                  want (fun () -> say "high"));
              middle t say;
              Dromos.yield ();
              say "low has it";
              Dromos.yield ();
              say "low lets go");
          Dromos.yield ();
          say "low is over"))

let with_inheritance =
  [ "low has it"; "low lets go"; "high" ] @ middles @ [ "low is over" ]

let without_inheritance =
  middles @ [ "low has it"; "low lets go"; "high"; "low is over" ]

let three_levels () =
  let m = Mutex.create () in
  let protect f = Mutex.protect m f in
  order "with" with_inheritance (inversion ~hold:protect ~want:protect ());
  order "ageing" with_inheritance
    (inversion ~hold:protect ~want:protect ~ageing:1000 ());
  order "without" without_inheritance
    (inversion ~hold:protect ~want:protect ~inherits:false ())

let of_rwlock () =
  let l = Rwlock.create () in
  let write f = Rwlock.with_write l f and read f = Rwlock.with_read l f in
  order "writers" with_inheritance (inversion ~hold:write ~want:write ());
  order "a reader waits" with_inheritance (inversion ~hold:write ~want:read ());
  (* The readers are not known by name. *)
  order "readers hold" without_inheritance (inversion ~hold:read ~want:write ())

let of_strand () =
  let s = Dromos.Strand.create () in
  let run f = Dromos.Strand.run s f in
  order "strand" with_inheritance (inversion ~hold:run ~want:run ())

(* High waits for c, whose holder waits for b, whose holder waits for a. The
   lowest fiber holds a, and still has to wait itself. *)
let chain () =
  let a = Mutex.create () and b = Mutex.create () and c = Mutex.create () in
  let said =
    noted (fun t say ->
        let holds lock ~priority ~then_ name =
          Priority.spawn t ~priority (fun () ->
              Mutex.protect lock (fun () ->
                  then_ ();
                  say name);
              Dromos.yield ();
              say (name ^ " over"))
        in
        let high () =
          Priority.spawn t ~priority:9 (fun () ->
              Mutex.protect c (fun () -> say "high"))
        in
        let third () =
          holds c ~priority:4 "third" ~then_:(fun () ->
              high ();
              middle t say;
              Dromos.yield ();
              Mutex.protect b ignore)
        in
        let second () =
          holds b ~priority:3 "second" ~then_:(fun () ->
              third ();
              Dromos.yield ();
              Mutex.protect a ignore)
        in
        holds a ~priority:1 "first" ~then_:(fun () ->
            second ();
            Dromos.yield ()))
  in
  order "chain"
    ([ "first"; "second"; "third"; "high" ]
    @ middles
    @ [ "third over"; "second over"; "first over" ])
    said

(* The holder inherits a priority during a wait without a lock. *)
let holder_waits () =
  let m = Mutex.create () and p = Dromos.Promise.create () in
  order "order"
    ([ "low"; "high" ] @ middles)
    (noted (fun t say ->
         Priority.spawn t ~priority:1 (fun () ->
             Mutex.protect m (fun () ->
                 Priority.spawn t ~priority:9 (fun () ->
                     Mutex.protect m (fun () -> say "high"));
                 Priority.spawn t ~priority:8 (fun () ->
                     middle t say;
                     ignore (Dromos.Promise.try_resolve p (Ok ()) : bool));
                 Dromos.await p;
                 say "low"))))

(* The queue is in order of arrival, so the mutex goes to a waiter of priority
   2, with a waiter of priority 9 behind: the middle fiber does not come
   between. *)
let given_on () =
  let m = Mutex.create () in
  order "order"
    ([ "low"; "first in line"; "second in line" ] @ middles)
    (noted (fun t say ->
         Priority.spawn t ~priority:1 (fun () ->
             Mutex.protect m (fun () ->
                 let want priority name =
                   Priority.spawn t ~priority (fun () ->
                       Mutex.protect m (fun () ->
                           Dromos.yield ();
                           say name))
                 in
                 want 2 "first in line";
                 Dromos.yield ();
                 want 9 "second in line";
                 middle t say;
                 Dromos.yield ();
                 say "low"))))

(* The holder inherits too if it got the lock in a choice. *)
let given_in_a_choice () =
  let m = Mutex.create () in
  order "order"
    ([ "low"; "chose"; "high" ] @ middles)
    (noted (fun t say ->
         Priority.spawn t ~priority:1 (fun () ->
             Mutex.lock m;
             Priority.spawn t ~priority:6 (fun () ->
                 Dromos.Event.select [ Mutex.lock_event m; Dromos.Event.never ];
                 Priority.set_priority 1;
                 Dromos.yield ();
                 say "chose";
                 Mutex.unlock m);
             Dromos.yield ();
             Priority.spawn t ~priority:9 (fun () ->
                 Mutex.protect m (fun () -> say "high"));
             Dromos.yield ();
             middle t say;
             say "low";
             Mutex.unlock m)))

(* The first waiter gives up: the inherited priority is given back. *)
let given_back ~give_up () =
  let m = Mutex.create () in
  order "order"
    (("high gave up" :: middles) @ [ "low" ])
    (noted (fun t say ->
         Priority.spawn t ~priority:1 (fun () ->
             Mutex.protect m (fun () ->
                 let gone = Dromos.Latch.create 1 in
                 Priority.spawn t ~priority:9 (fun () ->
                     (match give_up m with
                     | () -> say "high has it"
                     | exception (Dromos.Timeout | Dromos.Cancelled) ->
                         say "high gave up");
                     middle t say;
                     Dromos.Latch.count_down gone);
                 Dromos.Latch.wait gone;
                 Dromos.yield ();
                 say "low"))))

let timed_out m = Mutex.lock ~timeout:0.01 m

let cancelled m =
  Dromos.Scope.run (fun scope ->
      Dromos.Scope.fork scope (fun () ->
          Dromos.yield ();
          Dromos.Scope.cancel scope);
      Mutex.lock m)

(* A waiter's own priority changes. *)
let waiter_changes () =
  let m = Mutex.create () in
  order "order"
    ([ "low"; "waiter" ] @ middles)
    (noted (fun t say ->
         Priority.spawn t ~priority:1 (fun () ->
             let waiter =
               Dromos.Sched.fiber (fun () ->
                   Mutex.protect m (fun () -> say "waiter"))
             in
             Mutex.protect m (fun () ->
                 Priority.give t ~priority:2 waiter;
                 Dromos.yield ();
                 middle t say;
                 Priority.set_priority_of t waiter 9;
                 Dromos.yield ();
                 say "low"))))

(* Fibers of random priorities hold and want locks in order, give up, yield and
   change each other's priorities: all fibers end, and no priority stays
   inherited. *)
let storm workers () =
  let locks = Array.init 4 (fun _ -> Mutex.create ()) in
  let ended = Atomic.make 0 and inside = Array.make 4 0 in
  let fibers = 40 and rounds = 60 in
  Contender.on ~workers (fun () ->
      Priority.run (fun t ->
          let rec nested i depth =
            if depth = 0 || i >= 4 then Dromos.yield ()
            else
              let timeout =
                if Contender.draw 3 = 0 then Some 0.0001 else None
              in
              match
                Mutex.protect ?timeout locks.(i) (fun () ->
                    inside.(i) <- inside.(i) + 1;
                    if inside.(i) <> 1 then Alcotest.fail "not exclusive";
                    if Contender.draw 2 = 0 then Dromos.yield ();
                    nested (i + 1 + Contender.draw 2) (depth - 1);
                    inside.(i) <- inside.(i) - 1)
              with
              | () -> ()
              | exception Dromos.Timeout -> ()
          in
          let all =
            Array.init fibers (fun _ ->
                Dromos.Sched.fiber (fun () ->
                    for _ = 1 to rounds do
                      nested (Contender.draw 3) (1 + Contender.draw 3);
                      if Contender.draw 4 = 0 then
                        Priority.set_priority (Contender.draw 9)
                    done;
                    Atomic.incr ended))
          in
          Array.iter
            (fun k -> Priority.give t ~priority:(Contender.draw 9) k)
            all;
          Priority.spawn t ~priority:3 (fun () ->
              while Atomic.get ended < fibers do
                Priority.set_priority_of t
                  all.(Contender.draw fibers)
                  (Contender.draw 9);
                Dromos.sleep 0.
              done)));
  Watch.check Alcotest.int "ended" fibers (Atomic.get ended)

(* A scheduler that inherits priorities knows its fibers by their numbers. It must
   forget the fibers that have ended: here 10,000 end, 50 alive at a time, while the
   scheduler lives. Each fiber holds the lock once. *)
let forgets_ended () =
  let at_once = 50 and rounds = 200 in
  let handles = Weak.create (at_once * rounds) and lock = Mutex.create () in
  let[@inline never] give t ended i =
    let fiber =
      Dromos.Sched.fiber (fun () ->
          Mutex.protect lock Dromos.yield;
          Dromos.Latch.count_down ended)
    in
    Weak.set handles i (Some fiber);
    Priority.give t ~priority:(i mod 3) fiber
  in
  let[@inline never] round t n =
    let ended = Dromos.Latch.create at_once in
    for i = n * at_once to ((n + 1) * at_once) - 1 do
      give t ended i
    done;
    Dromos.Latch.wait ended
  in
  let kept () =
    Gc.full_major ();
    Seq.ints 0
    |> Seq.take (Weak.length handles)
    |> Seq.filter (Weak.check handles)
    |> Seq.length
  in
  let kept =
    Dromos.run ~workers:1 (fun () ->
        Priority.run (fun t ->
            for n = 0 to rounds - 1 do
              round t n
            done;
            kept ()))
  in
  if kept > 10 * at_once then
    Alcotest.failf "the scheduler keeps %d of %d ended fibers" kept
      (Weak.length handles)

let cases =
  [
    Watch.case "three levels" three_levels;
    Watch.case "a reader-writer lock" of_rwlock;
    Watch.case "a strand" of_strand;
    Watch.case "a chain of three locks" chain;
    Watch.case "the holder waits" holder_waits;
    Watch.case "given on in line" given_on;
    Watch.case "given on in a choice" given_in_a_choice;
    Watch.case "given back after a timeout" (given_back ~give_up:timed_out);
    Watch.case "given back after a cancellation" (given_back ~give_up:cancelled);
    Watch.case "the waiter's priority changes" waiter_changes;
    Watch.case "ended fibers are forgotten" forgets_ended;
    Watch.case "storm, 1 vproc" (storm 1);
    Watch.case "storm, 2 vprocs" (storm 2);
    Watch.case "storm, 4 vprocs" (storm 4);
  ]
