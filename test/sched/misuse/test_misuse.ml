(* Schedulers with errors: the message is right, nothing hangs, and the fibers
   of a dead scheduler are not lost. *)

module Sched = Dromos.Sched
module Vproc = Sched.Vproc
module Ready_queue = Sched.Ready_queue
module Promise = Dromos.Promise

exception Boom

let workers = 1 + Random.State.int Watch.chance 3
let run f = Dromos.run ~workers f
let contains = Said.contains

let says text parts =
  List.iter
    (fun part ->
      if not (contains text part) then
        Alcotest.failf "%S does not say %S" text part)
    parts

let nothing_raised () = Alcotest.fail "nothing was raised"

let deadlock parts f =
  match run f with
  | () -> nothing_raised ()
  | exception Dromos.Deadlock text -> says text parts

let invalid parts f =
  match run f with
  | () -> nothing_raised ()
  | exception Invalid_argument text -> says text parts

let misplaced parts f =
  match f () with
  | _ -> nothing_raised ()
  | exception Dromos.Misplaced text -> says text parts

let boom f =
  match run f with
  | () -> nothing_raised ()
  | exception Boom -> says (Printexc.get_backtrace ()) [ "test_misuse.ml" ]

(* {1 Schedulers that are right except for one function} *)

(* Over the vproc's queue. The functions get the right continuation as an
   argument. *)
type wrong = {
  stop : right -> Sched.directive;
  preempt : right -> Sched.fiber -> Sched.directive;
}

and right = {
  vproc : Vproc.t;
  next : unit -> Sched.directive;
  run : Sched.fiber -> Sched.directive;
}

let rec action wrong vproc =
  let right =
    {
      vproc;
      next = (fun () -> dispatch wrong vproc);
      run = (fun k -> Sched.run (action wrong vproc) k);
    }
  in
  Sched.action ~name:"wrong" ~ready:(Vproc.enq_on vproc) (function
    | Sched.Stop -> wrong.stop right
    | Preempt k -> wrong.preempt right k)

and dispatch wrong vproc = Sched.run (action wrong vproc) (Vproc.deq ())

let next right = right.next ()

let turn right k =
  Vproc.enq_on right.vproc k;
  right.next ()

let under ?(stop = next) ?(preempt = turn) body =
  Sched.Attached.run ~name:"wrong"
    ~vprocs:[ Vproc.host () ]
    (dispatch { stop; preempt })
    body

let spawn ?name f = Vproc.enq (Sched.fiber ?name f)

(* A fiber that yields and waits for ever, until it is stopped. *)
let started = Atomic.make 0
let ended = Atomic.make 0

let noted f () =
  Atomic.incr started;
  Fun.protect f ~finally:(fun () -> Atomic.incr ended)

let rec endless () =
  Sched.yield ();
  endless ()

let patient () = Promise.await (Promise.create ())
let counted ?name f = spawn ?name (noted f)

(* A fiber cancelled before its start never starts. *)
let all_end f =
  Atomic.set started 0;
  Atomic.set ended 0;
  f ();
  Watch.check Alcotest.int "clean-up code has run" (Atomic.get started)
    (Atomic.get ended)

(* {1 Forgotten} *)

let drops () =
  all_end @@ fun () ->
  deadlock [ {|"victim" waits on its turn (wrong)|}; {|"wrong"|}; "Vproc.deq" ]
    (fun () ->
      under
        ~preempt:(fun right _ -> next right)
        (fun () -> counted ~name:"victim" Sched.yield))

(* A scheduler with a [ready] that drops the fiber after a wait. *)
let careless name body =
  let rec action vproc () =
    Sched.action ~name ~ready:ignore (function
      | Sched.Stop -> next vproc
      | Preempt k ->
          Vproc.enq_on vproc k;
          next vproc)
  and next vproc = Sched.run (action vproc ()) (Vproc.deq ()) in
  Sched.Attached.run ~name ~vprocs:[ Vproc.host () ] next body

let briefly () = Dromos.sleep 1e-3

let ready_drops () =
  deadlock [ {|"victim" waits on its turn (careless)|} ] (fun () ->
      careless "careless" (fun () -> spawn ~name:"victim" briefly))

(* The loss is reported once, at the collection that frees the fiber, while the
   rest of the run continues. *)
let told_at_once () =
  let text =
    Said.on_stderr (fun said ->
        let lost () = contains (said ()) "is lost" in
        deadlock [ "3 fibers more, collected" ] (fun () ->
            careless "leaky" (fun () ->
                for i = 1 to 3 do
                  spawn ~name:(Printf.sprintf "victim %d" i) briefly
                done;
                while not (lost ()) do
                  briefly ();
                  Gc.full_major ()
                done)))
  in
  says text [ "\"victim "; "its turn (leaky)" ];
  let told line = contains line "is lost" in
  Watch.check Alcotest.int "messages" 1
    (List.length (List.filter told (String.split_on_char '\n' text)))

(* No pointer leads to the fiber, so the list of waiting fibers does not have
   it. *)
let drops_and_collects () =
  deadlock [ "1 fiber more, collected while waiting" ] (fun () ->
      under
        ~preempt:(fun right _ -> right.next ())
        (fun () ->
          spawn ~name:"victim" Sched.yield;
          spawn Gc.full_major))

let drops_directive () =
  all_end @@ fun () ->
  deadlock [ {|"victim" waits on its turn (wrong)|} ] (fun () ->
      under
        ~preempt:(fun right k ->
          ignore (right.run k);
          next right)
        (fun () -> counted ~name:"victim" Sched.yield))

let never_run () =
  deadlock [ {|"victim" waits on its start|} ] (fun () ->
      ignore (Sched.fiber ~name:"victim" patient : Sched.fiber))

let waits_in_action () =
  deadlock [ {|"victim" waits on its turn|}; {|"wrong" waits on|} ] (fun () ->
      under
        ~preempt:(fun _ _ -> patient ())
        (fun () -> spawn ~name:"victim" Sched.yield))

(* {1 Twice} *)

let resumed_twice () =
  all_end @@ fun () ->
  invalid [ {|Sched.run: fiber|}; "(victim)"; {|"wrong"|}; "resumed already" ]
    (fun () ->
      under
        ~preempt:(fun right k ->
          Vproc.enq_on right.vproc k;
          right.run k)
        (fun () ->
          spawn ~name:"victim" Sched.yield;
          counted patient))

let forwarded_twice () =
  all_end @@ fun () ->
  invalid [ {|the scheduler "wrong" returned a directive|}; "resumed already" ]
    (fun () ->
      under
        ~preempt:(fun _ k ->
          Sched.release k;
          Sched.forward (Preempt k))
        (fun () -> counted ~name:"victim" endless))

let directive_twice () =
  let kept = ref None in
  let again right k =
    match !kept with
    | Some directive -> directive
    | None ->
        let directive = right.run k in
        kept := Some directive;
        directive
  in
  invalid [ "carried out: each is for one time" ] (fun () ->
      under ~preempt:again (fun () ->
          spawn ~name:"one" endless;
          spawn ~name:"two" endless))

(* {1 From another run} *)

(* A fiber, or a directive, of a run that lasts until [use] is over. *)
let in_another_run make use =
  let given = Promise.create () and over = Promise.create () in
  let other =
    Thread.create
      (fun () ->
        Dromos.run ~workers:1 (fun () ->
            Promise.resolve given (make ());
            Promise.await over))
      ()
  in
  let k = Promise.await given in
  Fun.protect
    (fun () -> use k)
    ~finally:(fun () ->
      Promise.resolve over ();
      Thread.join other)

let foreign_fiber () =
  let fiber () = Sched.fiber ~name:"stranger" ignore in
  in_another_run fiber @@ fun k ->
  invalid [ "Sched.run"; "(stranger)"; "another run" ] (fun () ->
      under ~stop:(fun right -> right.run k) (fun () -> spawn ignore));
  invalid [ "Vproc.enq_on"; "another run" ] (fun () -> Vproc.enq k);
  invalid [ {|the scheduler "wrong"|}; "(stranger)"; "another run" ] (fun () ->
      under ~stop:(fun _ -> Sched.forward (Preempt k)) (fun () -> spawn ignore));
  Sched.release k

(* The fiber is given back to its own run; otherwise that run would wait for
   ever. *)
let foreign_directive () =
  let directive () =
    let action = Sched.action ~name:"strange" (fun s -> Sched.forward s) in
    Sched.run action (Sched.fiber ~name:"stranger" ignore)
  in
  in_another_run directive @@ fun directive ->
  invalid [ {|the scheduler "wrong"|}; "(stranger)"; "another run" ] (fun () ->
      under ~stop:(fun _ -> directive) (fun () -> spawn ignore))

(* {1 Actions that raise} *)

let some () =
  counted endless;
  counted patient;
  counted (fun () -> Dromos.sleep 10.);
  counted (fun () -> Dromos.Scope.run (fun _ -> endless ()))

let raises_on_stop () =
  all_end @@ fun () ->
  boom (fun () -> under ~stop:(fun _ -> raise Boom) (fun () -> some ()))

let raises_on_preempt () =
  all_end @@ fun () ->
  boom (fun () -> under ~preempt:(fun _ _ -> raise Boom) (fun () -> some ()))

(* The action has already given the fiber to another, living scheduler when the
   action raises. *)
let raises_too_late () =
  all_end @@ fun () ->
  boom (fun () ->
      Sched.Round_robin.run (fun () ->
          under
            ~preempt:(fun right k ->
              Vproc.enq_on right.vproc k;
              Vproc.enq_on right.vproc (Sched.fiber Sched.yield);
              raise Boom)
            (fun () -> some ())))

let raises_at_start () =
  boom (fun () ->
      Sched.Attached.run ~name:"wrong" (fun _ -> raise Boom) patient)

(* The scheduler has a queue of its own: the queued fibers continue
   elsewhere. *)
let own_queue ~ends body =
  let queue = Ready_queue.create () in
  let signals = ref 0 in
  let rec action () =
    Sched.action ~name:"own" ~ready:(Ready_queue.add queue) (fun signal ->
        incr signals;
        if !signals = 10 then raise Boom;
        (match signal with
        | Sched.Stop -> ()
        | Preempt k -> Ready_queue.add queue k);
        dispatch ())
  and dispatch () =
    Sched.run (action ()) (Ready_queue.take ~reason:"own" queue)
  in
  Sched.Attached.run ~name:"own"
    ~vprocs:[ Vproc.host () ]
    ~ends:(fun _ -> ends queue)
    (fun _ -> dispatch ())
    (fun () -> body (fun f -> Ready_queue.add queue (Sched.fiber f)))

let put_in spawn =
  for _ = 1 to 5 do
    spawn (noted endless)
  done

let ends_gives_back () =
  all_end @@ fun () ->
  boom (fun () ->
      own_queue put_in ~ends:(fun queue ->
          Ready_queue.close queue Sched.release))

let ends_raises () =
  match
    run (fun () ->
        own_queue put_in ~ends:(fun queue ->
            Ready_queue.close queue Sched.release;
            failwith "ends"))
  with
  | () -> nothing_raised ()
  | exception Boom -> ()

(* Whatever thread calls [ready], neither the fiber nor the thread is lost. *)
let ready_raises () =
  all_end @@ fun () ->
  boom (fun () ->
      let p = Promise.create () in
      let rec action vproc =
        Sched.action ~name:"wrong"
          ~ready:(fun _ -> raise Boom)
          (function
            | Sched.Stop -> dispatch vproc
            | Preempt k ->
                Vproc.enq_on vproc k;
                dispatch vproc)
      and dispatch vproc = Sched.run (action vproc) (Vproc.deq ()) in
      Sched.Attached.run ~name:"wrong"
        ~vprocs:[ Vproc.host () ]
        dispatch
        (fun () ->
          counted (fun () -> Promise.await p);
          counted patient;
          Dromos.sleep 0.02;
          Thread.join (Thread.create (fun () -> Promise.resolve p ()) ())))

(* No harm reaches the locker or the holder. *)
let inheritance_callbacks () =
  let lock_and_wait ~level ~changed =
    let register = Sched.Inheritance.create ~level ~changed in
    run @@ fun () ->
    Sched.Inheritance.run register @@ fun () ->
    let m = Dromos.Mutex.create () and begun = Atomic.make false in
    Dromos.Mutex.lock m;
    let waiter =
      Dromos.async (fun () ->
          Atomic.set begun true;
          Dromos.Mutex.protect m ignore)
    in
    while not (Atomic.get begun) do
      Sched.yield ()
    done;
    for _ = 1 to 100 do
      Sched.yield ()
    done;
    Dromos.Mutex.unlock m;
    Dromos.await waiter;
    Watch.check Alcotest.bool "locked" false (Dromos.Mutex.is_locked m)
  in
  let sleeps () = Dromos.sleep 100. in
  let text =
    Said.on_stderr (fun _ ->
        lock_and_wait
          ~changed:(fun _ _ -> ())
          ~level:(fun () ->
            sleeps ();
            1);
        lock_and_wait ~level:(fun () -> 1) ~changed:(fun _ _ -> sleeps ());
        lock_and_wait ~level:(fun () -> 1) ~changed:(fun _ _ -> raise Boom))
  in
  says text
    [
      "The level of a register";
      "must not wait (sleep)";
      "The changed of a register";
      "Boom";
    ]

(* [ready] is not preempted, so it may take a Stdlib lock for a moment. *)
let stdlib_lock_in_ready () =
  let lock = Stdlib.Mutex.create () and line = Queue.create () in
  let ended = Atomic.make 0 in
  let rec action vproc =
    Sched.action ~name:"locks"
      ~ready:(fun k ->
        Stdlib.Mutex.protect lock (fun () ->
            Queue.add k line;
            for i = 1 to 20_000 do
              ignore (Sys.opaque_identity i)
            done;
            ignore (Queue.take line : Sched.fiber));
        Vproc.enq_on vproc k)
      (function
        | Sched.Stop -> next vproc
        | Preempt k ->
            Vproc.enq_on vproc k;
            next vproc)
  and next vproc = Sched.run (action vproc) (Vproc.deq ()) in
  Dromos.run ~workers:1 (fun () ->
      Sched.Preemption.run ~quantum:0.0005 (fun () ->
          Sched.Attached.run ~name:"locks"
            ~vprocs:[ Vproc.host () ]
            next
            (fun () ->
              let stream = Dromos.Stream.create 1 in
              for _ = 1 to 8 do
                Vproc.enq
                  (Sched.fiber (fun () ->
                       for i = 1 to 300 do
                         Dromos.Stream.add stream i;
                         ignore (Dromos.Stream.take stream : int)
                       done;
                       Atomic.incr ended))
              done)));
  Watch.check Alcotest.int "ended" 8 (Atomic.get ended)

let places =
  [
    ("at its start", fun () -> raise Boom);
    ( "after a yield",
      fun () ->
        Sched.yield ();
        raise Boom );
    ( "after a wait",
      fun () ->
        Dromos.sleep 0.001;
        raise Boom );
    ( "in its clean-up",
      fun () ->
        Fun.protect ignore ~finally:Sched.yield;
        raise Boom );
    ( "in a branch",
      fun () ->
        ignore (Dromos.both Sched.yield (fun () -> raise Boom) : unit * unit) );
    ("in a scope", fun () -> Dromos.Scope.run (fun _ -> raise Boom));
    ("in capture", fun () -> Sched.capture (fun _ -> raise Boom));
    ( "in capture, with the fiber given away",
      fun () ->
        Sched.capture (fun k ->
            ignore (Sched.run (Sched.action ~name:"x" Sched.forward) k);
            raise Boom) );
    ( "under an action of its own",
      fun () ->
        let action = Sched.action ~name:"x" (fun _ -> raise Boom) in
        Sched.capture (Sched.run action);
        endless () );
  ]

let fiber_raises f () =
  all_end @@ fun () ->
  boom (fun () ->
      under (fun () ->
          some ();
          spawn ~name:"bad" f))

(* {1 Calls in the wrong place} *)

let outside () =
  let action = Sched.action ~name:"x" Sched.forward in
  let k = ref None in
  run (fun () ->
      k := Some (Sched.fiber ignore);
      Option.iter Sched.release !k);
  let k = Option.get !k in
  let out call f = misplaced [ call; "Dromos.run" ] f in
  out "Sched.run" (fun () -> ignore (Sched.run action k));
  out "Sched.fiber" (fun () -> ignore (Sched.fiber ignore));
  out "Sched.scheduler" (fun () ->
      ignore (Sched.scheduler (fun () -> Sched.stop)));
  out "Sched.capture" (fun () -> Sched.capture (fun _ -> Sched.stop));
  out "Sched.yield" Sched.yield;
  out "Sched.exit" Sched.exit;
  out "Vproc.host" (fun () -> ignore (Vproc.host ()));
  out "Vproc.enq" (fun () -> Vproc.enq k);
  out "Vproc.deq" (fun () -> ignore (Vproc.deq ()));
  out "Fls.set" (fun () -> Sched.Fls.set (Sched.Fls.new_key ()) 1)

let exits () =
  let exit_of kind f = misplaced [ "Sched.exit"; kind; "Sched.fiber" ] f in
  exit_of "first fiber" (fun () -> run Sched.exit);
  exit_of "task" (fun () ->
      run (fun () -> ignore (Dromos.async Sched.exit : unit Promise.t)));
  exit_of "scheduler" (fun () ->
      run (fun () ->
          Sched.Attached.run ~name:"x" (fun _ -> Sched.exit ()) patient));
  all_end @@ fun () ->
  run (fun () ->
      under (fun () ->
          counted Sched.exit;
          counted (fun () -> Dromos.Scope.run (fun _ -> Sched.exit ()));
          counted (fun () ->
              ignore (Dromos.both Sched.yield Sched.exit : unit * unit))))

let () =
  Printexc.record_backtrace true;
  let case = Watch.case ~limit:30. in
  Watch.suite "misuse" @@ fun () ->
  Alcotest.run "misuse"
    [
      ( "forgotten",
        [
          case "a fiber" drops;
          case "a fiber that has waited" ready_drops;
          case "a fiber, and collected" drops_and_collects;
          case "told at once" told_at_once;
          case "an action that run returned" drops_directive;
          case "a fiber never started" never_run;
          case "an action waits for ever" waits_in_action;
        ] );
      ( "twice",
        [
          case "a fiber" resumed_twice;
          case "run and forwarded" forwarded_twice;
          case "a directive" directive_twice;
        ] );
      ( "an action of another run",
        [ case "a fiber" foreign_fiber; case "a directive" foreign_directive ]
      );
      ( "raises",
        [
          case "an action on Stop" raises_on_stop;
          case "an action on Preempt" raises_on_preempt;
          case "an action too late" raises_too_late;
          case "an instance" raises_at_start;
          case "an action, with a queue of its own" ends_gives_back;
          case "the end" ends_raises;
          case "ready" ready_raises;
          case "functions of Inheritance" inheritance_callbacks;
          case "a lock of Stdlib's in ready" stdlib_lock_in_ready;
        ] );
      ( "a fiber raises",
        List.map (fun (name, f) -> case name (fiber_raises f)) places );
      ("callbacks", Callbacks.cases);
      ("out of place", [ case "outside a run" outside; case "exit" exits ]);
    ]
