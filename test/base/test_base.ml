(* Properties visible in one thread, and stress with more domains than cores. *)

open Dromos_base

(* Prints the seed; QCHECK_SEED=n draws the same numbers again. *)
let random = QCheck_base_runner.random_state ()

(* On few cores, a spinning domain must let the other domains run now and
   then. *)
let pause state =
  if Random.State.int state 64 = 0 then Unix.sleepf 1e-5
  else Domain.cpu_relax ()

(* {1 Queue} *)

(* Popped values are unreachable, even while the queue is alive. *)
let queue_forgets () =
  let q = Queue.create () in
  let alive = ref 0 in
  for i = 1 to 100 do
    let v = ref i in
    incr alive;
    Gc.finalise (fun _ -> decr alive) v;
    Queue.push q v
  done;
  for i = 1 to 60 do
    match Queue.pop q with
    | Some v -> Alcotest.(check int) "in order" i !v
    | None -> Alcotest.fail "not there"
  done;
  Gc.full_major ();
  Gc.full_major ();
  Alcotest.(check int) "still reachable" 40 !alive;
  Alcotest.(check bool) "not empty" false (Queue.is_empty q)

(* Producers number their items. No item is lost or doubled, and every consumer
   sees the items of a producer in order. *)
let queue_stress ~producers ~consumers ~items () =
  let q = Queue.create () in
  let total = producers * items in
  let popped = Atomic.make 0 in
  let failed = Atomic.make false in
  let seen = Array.init total (fun _ -> Atomic.make 0) in
  let produce p state () =
    for i = 0 to items - 1 do
      Queue.push q ((p * items) + i);
      if Random.State.int state 100 = 0 then pause state
    done
  in
  let consume state () =
    let last = Array.make producers (-1) in
    let got v =
      let p = v / items in
      if v <= last.(p) then failwith "out of order";
      last.(p) <- v;
      if Atomic.exchange seen.(v) 1 <> 0 then failwith "popped twice";
      Atomic.incr popped
    in
    try
      while Atomic.get popped < total && not (Atomic.get failed) do
        match Queue.pop q with Some v -> got v | None -> pause state
      done
    with e ->
      Atomic.set failed true;
      raise e
  in
  let spawn f = Domain.spawn (f (Random.State.split random)) in
  let domains =
    List.init consumers (fun _ -> spawn consume)
    @ List.init producers (fun p -> spawn (produce p))
  in
  List.iter Domain.join domains;
  Alcotest.(check int) "all popped" total (Atomic.get popped);
  Alcotest.(check bool) "empty" true (Queue.is_empty q)

(* {1 Ivar} *)

let ivar_order () =
  let t = Ivar.create () in
  let log = ref [] in
  let wait name = Ivar.wait t (fun ctx v -> log := (name, ctx, v) :: !log) in
  let got = Alcotest.(check (option int)) in
  got "unset" None (Ivar.peek t);
  List.iter (fun name -> got "kept" None (wait name)) [ "a"; "b"; "c" ];
  Alcotest.(check bool) "not set" false (Ivar.is_set t);
  Alcotest.(check bool) "first set" true (Ivar.set 7 t 1);
  Alcotest.(check bool) "second set" false (Ivar.set 8 t 2);
  got "peek" (Some 1) (Ivar.peek t);
  got "wait" (Some 1) (wait "d");
  Alcotest.(check (list (triple string int int)))
    "oldest first, once"
    [ ("a", 7, 1); ("b", 7, 1); ("c", 7, 1) ]
    (List.rev !log)

(* The setter's list may be long: notifying must not need a deep stack. *)
let ivar_many () =
  let t = Ivar.create () in
  let calls = ref 0 in
  for i = 0 to 999_999 do
    let callback () () =
      if !calls <> i then Alcotest.fail "out of order";
      incr calls
    in
    if Ivar.wait t callback <> None then Alcotest.fail "set already"
  done;
  Alcotest.(check bool) "set" true (Ivar.set () t ());
  Alcotest.(check int) "all called" 1_000_000 !calls

(* {1 Waiters} *)

let waiters_protocol () =
  let w = Waiters.create 3 in
  let yes name = Alcotest.(check bool) name true in
  let no name = Alcotest.(check bool) name false in
  let count n = Alcotest.(check int) "count" n (Waiters.count w) in
  no "no waiter to wake" (Waiters.notify_one w);
  no "not this one either" (Waiters.notify w 1);
  Waiters.prepare w 1;
  count 1;
  no "not notified" (Waiters.cancel w 1);
  count 0;
  Waiters.prepare w 0;
  Waiters.prepare w 2;
  count 2;
  yes "wakes slot 2" (Waiters.notify w 2);
  no "once" (Waiters.notify w 2);
  count 1;
  yes "a notification was consumed" (Waiters.cancel w 2);
  yes "wakes slot 0" (Waiters.notify_one w);
  Waiters.commit w 0 (* returns at once *);
  count 0;
  List.iter (Waiters.prepare w) [ 0; 1; 2 ];
  Waiters.notify_all w;
  count 0;
  List.iter (Waiters.commit w) [ 0; 1; 2 ];
  no "no waiter left" (Waiters.notify_one w)

(* All slots are announced all the time: each slot is woken about equally
   often. *)
let waiters_rotate () =
  let size = 4 in
  let w = Waiters.create size in
  let woken = Array.make size 0 in
  List.iter (Waiters.prepare w) (List.init size Fun.id);
  for _ = 1 to 100 do
    if not (Waiters.notify_one w) then Alcotest.fail "no waiter woken";
    for i = 0 to size - 1 do
      if Waiters.cancel w i then woken.(i) <- woken.(i) + 1;
      Waiters.prepare w i
    done
  done;
  Alcotest.(check (array int)) "in turn" (Array.make size 25) woken

(* Workers sleep whenever they find nothing. A producer publishes one piece at a
   time and waits until the piece is taken, so that every wake-up could get
   lost. A lost wake-up shows as a piece that no worker takes. *)
let waiters_stress ~workers ~producers ~pieces () =
  let w = Waiters.create workers in
  let q = Queue.create () in
  let stop = Atomic.make false in
  let sleeps = Atomic.make 0 in
  let rec work i () =
    match Queue.pop q with
    | Some taken ->
        Atomic.set taken true;
        work i ()
    | None ->
        if not (Atomic.get stop) then begin
          Waiters.prepare w i;
          if Atomic.get stop || not (Queue.is_empty q) then begin
            if Waiters.cancel w i then ignore (Waiters.notify_one w)
          end
          else begin
            Atomic.incr sleeps;
            Waiters.commit w i
          end;
          work i ()
        end
  in
  let produce state () =
    for _ = 1 to pieces do
      let taken = Atomic.make false in
      Queue.push q taken;
      ignore (Waiters.notify_one w);
      let limit = Unix.gettimeofday () +. 20. in
      while not (Atomic.get taken) do
        pause state;
        if Unix.gettimeofday () > limit then failwith "a wake-up was lost"
      done
    done
  in
  let sleepers = List.init workers (fun i -> Domain.spawn (work i)) in
  let finish () =
    Atomic.set stop true;
    Waiters.notify_all w;
    List.iter Domain.join sleepers
  in
  Fun.protect ~finally:finish (fun () ->
      List.init producers (fun _ ->
          Domain.spawn (produce (Random.State.split random)))
      |> List.iter Domain.join);
  Printf.printf "%d sleeps for %d pieces\n" (Atomic.get sleeps)
    (producers * pieces);
  if Atomic.get sleeps = 0 then Alcotest.fail "no waiter ever slept";
  Alcotest.(check int) "no waiter announced" 0 (Waiters.count w)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  let workers = 2 + Random.State.int random 3 in
  let producers = 1 + Random.State.int random 3 in
  Printf.printf "%d workers, %d producers\n%!" workers producers;
  Alcotest.run "base"
    [
      ( "queue",
        [
          case "forgets what was popped" queue_forgets;
          case "stress"
            (queue_stress ~producers ~consumers:workers ~items:50_000);
        ] );
      ( "ivar",
        [ case "in order, once" ivar_order; case "a million waits" ivar_many ]
      );
      ( "waiters",
        [
          case "the protocol, step by step" waiters_protocol;
          case "no waiter starves" waiters_rotate;
          case "stress" (waiters_stress ~workers ~producers ~pieces:3_000);
        ] );
    ]
