module Sched = Dromos.Sched
module Engine = Sched.Engine
module Ivar = Dromos.Ivar

let check_int = Watch.check Alcotest.int

let yields n v () =
  for _ = 1 to n do
    Sched.yield ()
  done;
  v

(* Runs an engine by pieces of [fuel]; returns the number of expired pieces, and
   the fuel left. *)
let rec finish ?(turns = 0) fuel engine =
  Engine.run engine ~fuel
    ~complete:(fun v left -> (v, turns, left))
    ~expire:(finish ~turns:(turns + 1) fuel)

(* {1 Fuel} *)

let exact () =
  Dromos.run ~workers:1 (fun () ->
      for n = 0 to 12 do
        for fuel = 1 to 7 do
          let v, turns, left = finish fuel (Engine.make (yields n n)) in
          let what = Printf.sprintf "%d yields by %d: " n fuel in
          check_int (what ^ "value") n v;
          check_int (what ^ "turns") (n / fuel) turns;
          check_int (what ^ "left") (fuel - (n mod fuel)) left
        done
      done)

let waiting () =
  Dromos.run ~workers:2 (fun () ->
      let code () =
        for _ = 1 to 5 do
          Dromos.sleep 0.001
        done;
        Dromos.both (yields 2 1) (yields 2 2)
      in
      let v, turns, _ = finish 100 (Engine.make code) in
      Watch.check Alcotest.(pair int int) "value" (1, 2) v;
      check_int "waits are no ticks" 0 turns)

(* {1 Nesting} *)

(* The ticks of the inner engine count for the outer engine, one for one. *)
let nested () =
  Dromos.run ~workers:1 (fun () ->
      for n = 0 to 8 do
        for inner = 1 to 5 do
          for outer = 1 to 6 do
            let code () =
              let v, turns, _ = finish inner (Engine.make (yields n n)) in
              check_int "inner turns" (n / inner) turns;
              v
            in
            let v, turns, left = finish outer (Engine.make code) in
            check_int "value" n v;
            check_int "outer turns" (n / outer) turns;
            check_int "outer left" (outer - (n mod outer)) left
          done
        done
      done)

let three_levels () =
  Dromos.run ~workers:1 (fun () ->
      let level fuel code () =
        let v, _, _ = finish fuel (Engine.make code) in
        v
      in
      let code = level 2 (level 3 (yields 10 "deep")) in
      let v, turns, left = finish 4 (Engine.make code) in
      Watch.check Alcotest.string "value" "deep" v;
      check_int "turns" 2 turns;
      check_int "left" 2 left)

(* Two engines take turns, as under a scheduler: the order is the engines'. *)
let by_turns () =
  let order = Buffer.create 16 in
  Dromos.run ~workers:1 (fun () ->
      let speaks name n () =
        for _ = 1 to n do
          Buffer.add_char order name;
          Sched.yield ()
        done
      in
      let rec turns = function
        | [] -> ()
        | (engine, fuel) :: rest ->
            Engine.run engine ~fuel
              ~complete:(fun () _ -> turns rest)
              ~expire:(fun engine -> turns (rest @ [ (engine, fuel) ]))
      in
      turns [ (Engine.make (speaks 'a' 6), 2); (Engine.make (speaks 'b' 3), 1) ]);
  Watch.check Alcotest.string "order" "aabaabaab" (Buffer.contents order)

(* {1 Errors} *)

exception Foo

let raises text f = Alcotest.check_raises text (Invalid_argument text) f
let run_it fuel e = Engine.run e ~fuel ~complete:(fun _ _ -> ()) ~expire:ignore

let errors () =
  Dromos.run ~workers:1 (fun () ->
      let e = Engine.make (yields 1 ()) in
      raises "Engine.run: 0 ticks are no fuel" (fun () -> run_it 0 e);
      run_it 5 e;
      raises "Engine.run: the engine is over, its value has been given"
        (fun () -> run_it 1 e);
      let me = ref None in
      let itself = Engine.make (fun () -> Option.iter (run_it 1) !me) in
      me := Some itself;
      raises "Engine.run: the engine is being run, or has been cancelled"
        (fun () -> run_it 1 itself);
      match run_it 1 (Engine.make (fun () -> raise Foo)) with
      | () -> Alcotest.fail "nothing was raised"
      | exception Foo -> ())

(* {1 Cancellation} *)

let said = ref []
let say s = said := s :: !said
let guarded f () = Fun.protect ~finally:(fun () -> say "undone") f

let forever () =
  while true do
    Sched.yield ()
  done

let expect what expected =
  Watch.check Alcotest.(list string) what expected (List.rev !said);
  said := []

let cancel () =
  Dromos.run ~workers:1 (fun () ->
      let fresh = Engine.make (fun () -> say "ran") in
      Engine.cancel fresh;
      expect "not started" [];
      let idle = Engine.make (guarded forever) in
      run_it 3 idle;
      Engine.cancel idle;
      expect "expired" [ "undone" ];
      Engine.cancel idle;
      raises "Engine.run: the engine is being run, or has been cancelled"
        (fun () -> run_it 3 idle);
      (* The engine waits, and no fiber runs it. *)
      let waiting =
        Engine.make (guarded (fun () -> Ivar.read (Ivar.create ())))
      in
      (match Dromos.timeout 0.01 (fun () -> run_it 3 waiting) with
      | () -> Alcotest.fail "it ended"
      | exception Dromos.Timeout -> ());
      expect "its runner has gone, it waits on" [];
      Engine.cancel waiting;
      expect "waiting" [ "undone" ];
      (* Another fiber runs the engine. *)
      let running = Engine.make (guarded forever) in
      let runner =
        Dromos.async (fun () ->
            match run_it max_int running with
            | () -> "ended"
            | exception Dromos.Cancelled -> "cancelled")
      in
      Sched.yield ();
      Engine.cancel running;
      expect "running" [ "undone" ];
      Watch.check Alcotest.string "runner" "cancelled" (Dromos.await runner))

(* The scope of the engine's maker is cancelled, in each state. *)
let scope_cancelled workers () =
  let in_scope f =
    (match
       Dromos.run ~workers (fun () ->
           Dromos.Scope.run (fun scope ->
               f ();
               Dromos.Scope.cancel scope;
               Dromos.check ()))
     with
    | () -> Alcotest.fail "it ended"
    | exception Dromos.Cancelled -> ());
    expect "undone when the scope is over" [ "undone" ]
  in
  in_scope (fun () -> run_it 3 (Engine.make (guarded forever)));
  in_scope (fun () ->
      let e = Engine.make (guarded forever) in
      ignore (Dromos.async (fun () -> run_it max_int e));
      Dromos.sleep 0.01);
  in_scope (fun () ->
      let e = Engine.make (guarded (fun () -> Ivar.read (Ivar.create ()))) in
      ignore (Dromos.async (fun () -> run_it 1 e));
      Dromos.sleep 0.01);
  (* Nested, and cut in the inner engine. *)
  in_scope (fun () ->
      let inner () = run_it max_int (Engine.make (guarded forever)) in
      run_it 3 (Engine.make inner))

(* {1 Under other schedulers} *)

let under workers () =
  let total = Atomic.make 0 in
  let piece n () =
    let v, turns, _ = finish 3 (Engine.make (yields n n)) in
    check_int "turns" (n / 3) turns;
    ignore (Atomic.fetch_and_add total v)
  in
  Dromos.run ~workers (fun () ->
      Sched.Round_robin.run (fun () ->
          for n = 0 to 19 do
            Sched.Round_robin.spawn (piece n)
          done);
      Sched.Gang.run (fun () ->
          let f n = Sched.Gang.future1 (piece n) in
          List.iter Sched.Gang.touch1 (List.init 20 f)));
  check_int "all" (2 * 190) (Atomic.get total)

(* Another fiber cancels the engine at each point of its first [run]: when [cancel]
   has returned, the computation does not begin. The runner waits at the point for
   some time, since [cancel] may wait for the runner. *)
let cancelled_at n =
  let asked = Atomic.make false and returned = Atomic.make false in
  let late = ref false in
  let allocated =
    Dromos.run ~workers:2 (fun () ->
        let e = Engine.make (fun () -> late := Atomic.get returned) in
        let (_ : unit Dromos.Promise.t) =
          Dromos.async (fun () ->
              while not (Atomic.get asked) do
                Dromos.yield ()
              done;
              Engine.cancel e;
              Atomic.set returned true)
        in
        let wait () =
          Atomic.set asked true;
          let spins = ref 0 in
          while (not (Atomic.get returned)) && !spins < 100_000 do
            incr spins;
            Domain.cpu_relax ()
          done
        in
        let run () =
          try Engine.run e ~fuel:9 ~complete:(fun () _ -> ()) ~expire:ignore
          with Dromos.Cancelled | Invalid_argument _ -> ()
        in
        let allocated = Watch.allocating ~at:n wait run in
        Atomic.set asked true;
        allocated)
  in
  Watch.check Alcotest.bool "began after cancel" false !late;
  allocated

let cancelled_anywhere () =
  let rec from n = if cancelled_at n >= n then from (n + 1) in
  from 1

(* Code inside an engine may use other schedulers. *)
let around () =
  Dromos.run ~workers:2 (fun () ->
      let code () =
        Sched.Gang.run (fun () ->
            fst (Sched.Gang.both (yields 3 21) (yields 3 ())))
      in
      let v, _, _ = finish 2 (Engine.make code) in
      check_int "a gang in an engine" 21 v)

(* A quantum is a tick too: a computation that never yields expires. *)
let quanta () =
  let stop = Atomic.make false in
  let turns =
    Dromos.run ~workers:1 (fun () ->
        Sched.Preemption.run ~quantum:0.001 (fun () ->
            let rec finish turns e =
              if turns = 3 then Atomic.set stop true;
              Engine.run e ~fuel:2
                ~complete:(fun () _ -> turns)
                ~expire:(finish (turns + 1))
            in
            finish 0
              (Engine.make (fun () ->
                   while not (Atomic.get stop) do
                     ()
                   done))))
  in
  if turns < 3 then Alcotest.failf "it expired %d times" turns

let () =
  Watch.suite "engine" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "engine"
    [
      ( "fuel",
        [ case "exact" exact; case "waiting" waiting; case "quanta" quanta ] );
      ( "nesting",
        [
          case "two" nested; case "three" three_levels; case "by turns" by_turns;
        ] );
      ("errors", [ case "errors" errors ]);
      ( "cancellation",
        [
          case "cancel" cancel;
          case "scope on 1" (scope_cancelled 1);
          case "scope on 2" (scope_cancelled 2);
          case "at each point" cancelled_anywhere;
        ] );
      ( "others",
        [
          case "under, 1 vproc" (under 1);
          case "under, 3 vprocs" (under 3);
          case "around" around;
        ] );
    ]
