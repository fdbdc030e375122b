(* Properties of all schedulers, for any policy. *)

open Contender

(* Not [Alcotest.check], which prints: only one domain may print. *)
let equal what expected got =
  if got <> expected then
    Alcotest.failf "%s: %d in place of %d" what got expected

let spin n =
  let x = ref 0 in
  for i = 1 to n do
    x := Sys.opaque_identity (!x + i)
  done

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

(* A piece of a fiber's life. *)
let piece ~rank i =
  match rank with
  | 0 | 1 -> spin 10_000
  | 2 | 3 | 4 -> Dromos.yield ()
  | 5 -> Dromos.sleep 0.0005
  | 6 -> ignore (fib 8 : int)
  | 7 -> equal "async" i (Dromos.await (Dromos.async (fun () -> i)))
  | 8 ->
      let c = Dromos.Channel.create () in
      Dromos.Scope.run (fun s ->
          Dromos.Scope.fork s (fun () -> Dromos.Channel.send c i);
          equal "message" i (Dromos.Channel.recv c))
  | _ -> Dromos.Sched.yield ()

(* [n] fibers, each with a child; every fiber notes its end. *)
let crowd { spawn; _ } n =
  let ends = Array.init (2 * n) (fun _ -> Atomic.make 0) in
  let life i =
    for _ = 1 to 5 do
      piece ~rank:(rank ()) i
    done
  in
  for i = 0 to n - 1 do
    spawn (fun () ->
        life i;
        spawn (fun () ->
            life i;
            Atomic.incr ends.((2 * i) + 1));
        life i;
        Atomic.incr ends.(2 * i))
  done;
  fun () ->
    Array.iteri (fun i n -> equal (string_of_int i) 1 (Atomic.get n)) ends

let once ?workers t =
  on ?workers (fun () ->
      let check = t.run (fun h -> crowd h 60) in
      check ())

(* Fibers that compute for longer than a quantum are preempted at any place;
   some are cancelled meanwhile. *)
let preempted t =
  on (fun () ->
      Sched.Preemption.run ~quantum:0.001 (fun () ->
          let ends = Atomic.make 0 in
          let check =
            t.run (fun h ->
                for _ = 1 to 6 do
                  h.spawn (fun () ->
                      for _ = 1 to 3 do
                        spin 2_000_000;
                        Dromos.yield ()
                      done;
                      Atomic.incr ends)
                done;
                crowd h 20)
          in
          check ();
          equal "ended" 6 (Atomic.get ends);
          let alive = Atomic.make 0 in
          match
            Dromos.timeout 0.01 (fun () ->
                t.run (fun h ->
                    for _ = 1 to 6 do
                      h.spawn (fun () ->
                          Atomic.incr alive;
                          Fun.protect
                            ~finally:(fun () -> Atomic.decr alive)
                            (fun () ->
                              while true do
                                spin 1_000_000;
                                Dromos.check ()
                              done))
                    done;
                    Dromos.sleep 100.))
          with
          | () -> Alcotest.fail "no timeout"
          | exception Dromos.Timeout -> equal "alive" 0 (Atomic.get alive)))

(* {1 Failures and cancellation} *)

exception Broken

(* Fibers in every state: not begun, running, ready, waiting, and waiting while
   protected. The result counts the fibers that have begun and not ended. *)
let in_every_state { spawn; _ } =
  let alive = Atomic.make 0 in
  let live f =
    spawn (fun () ->
        Atomic.incr alive;
        Fun.protect f ~finally:(fun () -> Atomic.decr alive))
  in
  let never () = ignore (Dromos.await (Dromos.Promise.create ()) : unit) in
  for _ = 1 to 10 do
    live never;
    live (fun () -> Dromos.protect (fun () -> Dromos.sleep 0.005));
    live (fun () ->
        while true do
          Dromos.yield ()
        done);
    live (fun () ->
        while true do
          ignore (fib 5 : int);
          Dromos.sleep 0.0001
        done);
    live (fun () -> Dromos.sleep 100.)
  done;
  alive

let raising t =
  on (fun () ->
      let alive = ref (Atomic.make 0) in
      (match
         t.run (fun h ->
             alive := in_every_state h;
             h.urgent (fun () ->
                 Dromos.sleep 0.002;
                 raise Broken))
       with
      | () -> Alcotest.fail "nothing was raised"
      | exception Broken -> ());
      equal "alive" 0 (Atomic.get !alive))

let cancelled t =
  on (fun () ->
      let alive = ref (Atomic.make 0) in
      (match
         Dromos.Scope.run (fun s ->
             Dromos.Scope.fork s (fun () ->
                 Dromos.sleep 0.003;
                 Dromos.Scope.cancel s);
             t.run (fun h ->
                 alive := in_every_state h;
                 Dromos.sleep 100.))
       with
      | () -> Alcotest.fail "nothing was raised"
      | exception Dromos.Cancelled -> ());
      equal "alive" 0 (Atomic.get !alive))

let timed_out t =
  on (fun () ->
      for _ = 1 to 10 do
        let alive = ref (Atomic.make 0) in
        (match
           Dromos.timeout 0.002 (fun () ->
               t.run (fun h ->
                   alive := in_every_state h;
                   Dromos.sleep 100.))
         with
        | () -> Alcotest.fail "no timeout"
        | exception Dromos.Timeout -> ());
        equal "alive" 0 (Atomic.get !alive)
      done)

(* An inner scope holds only some of the scheduler's fibers: the other fibers
   continue. *)
let partly t =
  on (fun () ->
      let ended = Atomic.make 0 in
      t.run (fun h ->
          for _ = 1 to 10 do
            h.spawn (fun () ->
                for _ = 1 to 20 do
                  Dromos.yield ()
                done;
                Atomic.incr ended)
          done;
          let alive = ref (Atomic.make 0) in
          (match
             Dromos.timeout 0.001 (fun () ->
                 alive := in_every_state h;
                 Dromos.sleep 1.)
           with
          | () -> Alcotest.fail "no timeout"
          | exception Dromos.Timeout -> ());
          equal "alive" 0 (Atomic.get !alive));
      equal "the others" 10 (Atomic.get ended))

(* {1 Schedulers beside and inside each other} *)

let inside outer inner =
  on (fun () ->
      let check =
        outer.run (fun o ->
            let check = crowd o 10 in
            let check' =
              inner.run ~under:o.give (fun i ->
                  let check = crowd i 10 in
                  let check' = inner.run ~under:i.give (fun i -> crowd i 10) in
                  fun () ->
                    check ();
                    check' ())
            in
            fun () ->
              check ();
              check' ())
      in
      check ())

let nested outer =
  List.iter
    (fun inner ->
      Printf.printf "%s inside %s\n%!" inner.name outer.name;
      inside outer inner)
    all

let nested_cancelled outer =
  List.iter
    (fun inner ->
      Printf.printf "%s inside %s\n%!" inner.name outer.name;
      on (fun () ->
          let alive = ref [] in
          let note h = alive := in_every_state h :: !alive in
          (match
             Dromos.timeout 0.003 (fun () ->
                 outer.run (fun o ->
                     note o;
                     inner.run ~under:o.give (fun i ->
                         note i;
                         Dromos.sleep 100.)))
           with
          | () -> Alcotest.fail "no timeout"
          | exception Dromos.Timeout -> ());
          List.iter (fun n -> equal "alive" 0 (Atomic.get n)) !alive))
    all

(* The scheduler starts and ends while schedulers of all kinds are active. *)
let attached t =
  on (fun () ->
      let stop = Atomic.make false in
      let turns = Atomic.make 0 in
      let busy () =
        while not (Atomic.get stop) do
          Atomic.incr turns;
          ignore (fib 6 : int);
          Dromos.yield ()
        done
      in
      Dromos.Scope.run (fun s ->
          Dromos.Scope.fork s busy;
          let other = pick () in
          Printf.printf "beside %s\n%!" other.name;
          Dromos.Scope.fork s (fun () ->
              other.run (fun h ->
                  h.spawn busy;
                  h.spawn busy));
          for _ = 1 to 20 do
            (t.run (fun h -> crowd h 3)) ()
          done;
          Atomic.set stop true);
      Watch.check Alcotest.bool "the others ran" true (Atomic.get turns > 0))

(* Fibers that never wait leave turns to the root and to other schedulers. *)
let shares t =
  on ~workers:1 (fun () ->
      let stop = Atomic.make false in
      t.run (fun h ->
          for _ = 1 to 3 do
            h.spawn (fun () ->
                while not (Atomic.get stop) do
                  Dromos.yield ()
                done)
          done;
          let task = Dromos.async (fun () -> 1) in
          Dromos.yield ();
          equal "async" 1 (Dromos.await task);
          Atomic.set stop true))

(* An unserved vproc gets a domain when a fiber is put there, although other
   vprocs are vacant too. *)
let far () =
  for i = 1 to 100 do
    on ~workers:4 (fun () ->
        let vprocs = Array.of_list (Sched.Vproc.all ()) in
        let there = vprocs.(1 + (i mod 3)) in
        let ran_on = ref (-1) in
        Dromos.Scope.run (fun _ ->
            Sched.Vproc.enq_on there
              (Sched.fiber (fun () ->
                   ran_on := Sched.Vproc.id (Sched.Vproc.host ()))));
        equal "vproc" (Sched.Vproc.id there) !ran_on)
  done

(* {1 Rest} *)

let cpu () =
  let { Unix.tms_utime; tms_stime; _ } = Unix.times () in
  tms_utime +. tms_stime

let at_rest t =
  let used = ref infinity in
  on ~workers:4 (fun () ->
      t.run (fun h ->
          for _ = 1 to 10 do
            h.spawn (fun () -> Dromos.sleep 0.7)
          done;
          Dromos.sleep 0.1;
          let before = cpu () in
          Dromos.sleep 0.5;
          used := cpu () -. before));
  !used

let rest t = Watch.rests ~most:0.1 (fun () -> at_rest t)

(* {1 Sched.spawn} *)

(* Counts the fibers that [Sched.spawn] gives to a scheduler around [f]. *)
let given_outside f =
  let given = Atomic.make 0 in
  let queue = Sched.Ready_queue.create () in
  let rec action () =
    Sched.action ~name:"outside" ~ready:(Sched.Ready_queue.add queue) (function
      | Sched.Stop -> dispatch ()
      | Preempt k ->
          Sched.Ready_queue.add queue k;
          dispatch ())
  and dispatch () =
    Sched.run (action ()) (Sched.Ready_queue.take ~reason:"outside" queue)
  in
  let give k =
    Atomic.incr given;
    Sched.Ready_queue.add queue k
  in
  Sched.Attached.run ~name:"outside" ~give (fun _ -> dispatch ()) f;
  Atomic.get given

let spawned t =
  on (fun () ->
      let ran = Atomic.make 0 in
      let two () =
        for _ = 1 to 2 do
          Sched.spawn (fun () -> Atomic.incr ran)
        done
      in
      let inside () =
        t.run (fun h ->
            two ();
            h.spawn two)
      in
      equal "given outside" 2
        (given_outside (fun () ->
             two ();
             inside ()));
      equal "ran" 6 (Atomic.get ran))

(* Storage reaches another run, and the scheduler does not. *)
let spawned_elsewhere t =
  on (fun () ->
      let ran = Atomic.make 0 in
      let elsewhere () =
        Dromos.blocking (fun () ->
            Dromos.run ~workers:1 (fun () ->
                Sched.spawn (fun () -> Atomic.incr ran)))
      in
      t.run (fun h ->
          elsewhere ();
          h.spawn elsewhere);
      equal "ran" 2 (Atomic.get ran))

let suites =
  [
    ("once", cases (fun t -> once t));
    ("more vprocs than cores", cases (once ~workers:12));
    ("preempted", cases preempted);
    ("raise", cases raising);
    ("cancel", cases cancelled);
    ("timeout", cases timed_out);
    ("partly cancelled", cases partly);
    ("nested", cases nested);
    ("nested, cancelled", cases nested_cancelled);
    ("attach", cases attached);
    ("Sched.spawn", cases spawned);
    ("Sched.spawn in another run", cases spawned_elsewhere);
    ("share", cases shares);
    ("far", [ Watch.case "vprocs that no worker serves" far ]);
    ("rest", cases rest);
  ]
