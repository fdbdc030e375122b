open Dromos_policy_core
open Dromos_policy_semantics
module Builder = Policy_builder

let topologies = [ Topology.flat 1; Topology.flat 3; Topology.tree ~cores:4 2 ]

let loads m s chance =
  let l = Machine.layout m in
  match Query.load l.policy with
  | None -> ()
  | Some a ->
      for t = 0 to l.threads - 1 do
        Look.set_attribute m s a t (1 + Random.State.int chance 3)
      done

let random_run ?fault shape topology ~steps =
  let m =
    Machine.create ?fault ~runners:4 ~threads:5 topology (Builder.policy shape)
  in
  Tester.run Watch.chance m ~prepare:(fun s -> loads m s Watch.chance) ~steps

(* Under any policy, no thread is lost and all words are right. *)
let keeps_invariants () =
  for _ = 1 to 300 do
    let shape = Builder.random Watch.chance in
    List.iter
      (fun topology ->
        match (random_run shape topology ~steps:300).wrong with
        | None -> ()
        | Some (what, steps) ->
            Alcotest.failf "%s@.%s@.%s" (Builder.show shape) what
              (String.concat "\n" steps))
      topologies
  done

(* With an error in the skeleton, runs like these must find a fault. *)
let faults_are_seen fault () =
  let found = ref None in
  let tries = ref 0 in
  while !found = None && !tries < 400 do
    incr tries;
    let shape = { (Builder.random Watch.chance) with take = 0; filter = 0 } in
    found :=
      (random_run ~fault shape (Topology.flat 3) ~steps:300).wrong
      |> Option.map fst
  done;
  if !found = None then Alcotest.fail "400 runs saw nothing"

let placed m s t =
  match Look.place m s t with
  | `At (c, state) -> Printf.sprintf "%s of %d" state.state_name c
  | `New -> "new"
  | `Moving -> "moving"

let numbers () =
  List.iter
    (fun (all, text) -> Alcotest.(check string) text text (Numbers.show all))
    [
      ([], "");
      ([ 7 ], "7");
      ([ 0; 1 ], "0, 1");
      ([ 0; 1; 2 ], "0 to 2");
      ([ 0; 2; 3; 4; 9; 11; 12 ], "0, 2 to 4, 9, 11, 12");
    ]

(* More than four cores in the same state are printed together if the numbers of
   their threads are consecutive, and one by one if not. *)
let in_a_line () =
  let m =
    Machine.create ~threads:9 (Topology.flat 8) (Builder.policy Builder.ule)
  in
  let shown said threads expected =
    let s = Machine.initial m in
    List.iter
      (fun t ->
        ignore (Machine.run m s New ~self:0 ~target:t : Machine.report);
        Environment.settle m s)
      threads;
    said s;
    Alcotest.(check string) expected expected (Look.show m s)
  in
  shown ignore [] "0 to 7: nothing";
  shown
    (fun s -> Layout.mark (Machine.layout m) s Layout.blocked 7)
    [] "0 to 6: nothing | 7: nothing, B";
  shown ignore [ 0; 1; 2; 3 ]
    "0: current t0 | 1: current t1 | 2: current t2 | 3: current t3 | 4: \
     nothing | 5: nothing | 6: nothing | 7: nothing";
  shown ignore
    [ 0; 1; 2; 3; 4; 5; 6; 7; 8 ]
    "0: current t0, ready t8 | 1 to 7: current t1 .. t7";
  shown ignore [ 3; 0; 1; 2; 4; 5; 6; 7 ]
    "0: current t3 | 1: current t0 | 2: current t1 | 3: current t2 | 4: \
     current t4 | 5: current t5 | 6: current t6 | 7: current t7"

(* One handler after the other, by hand. *)
let by_hand () =
  let m =
    Machine.create ~threads:4 (Topology.flat 2) (Builder.policy Builder.ule)
  in
  let s = Machine.initial m in
  let check what expected t =
    Alcotest.(check string) what expected (placed m s t)
  in
  let run event ~self ~target = Machine.run m s event ~self ~target in
  check "at first" "new" 0;
  let report = run New ~self:1 ~target:0 in
  check "the first of equals" "ready of 0" 0;
  Alcotest.(check int) "two reads, lock, two fragments, lock" 6 report.steps;
  Alcotest.(check int) "one lock taken" 1 report.locks;
  let report = run Schedule ~self:0 ~target:0 in
  check "scheduled" "current of 0" 0;
  Alcotest.(check int) "one thread moved" 1 (List.length report.moves);
  List.iter
    (fun t -> ignore (run New ~self:0 ~target:t : Machine.report))
    [ 1; 2; 3 ];
  check "to the idle core" "ready of 1" 1;
  ignore (run Schedule ~self:1 ~target:1 : Machine.report);
  Alcotest.(check string)
    "both are equal" "0: current t0, ready t2 | 1: current t1, ready t3"
    (Look.show m s);
  ignore (run Block ~self:0 ~target:0 : Machine.report);
  ignore (run Schedule ~self:0 ~target:0 : Machine.report);
  ignore (run Block ~self:0 ~target:2 : Machine.report);
  Alcotest.(check bool) "idle" true (Look.idle m s 0);
  Alcotest.(check bool) "overloaded" true (Look.overloaded m s 1);
  ignore (run Balancing ~self:0 ~target:0 : Machine.report);
  check "stolen" "ready of 0" 3;
  check "the running one stays" "current of 1" 1;
  Alcotest.(check (option string)) "nothing broken" None (Look.broken m s)

let by_load () =
  let m =
    Machine.create ~threads:3 (Topology.flat 2)
      (Builder.policy { Builder.ule with weighed = true })
  in
  let s = Machine.initial m in
  let load = Option.get (Query.load (Machine.layout m).policy) in
  List.iteri (fun t w -> Look.set_attribute m s load t w) [ 3; 1; 1 ];
  List.iter
    (fun t -> ignore (Machine.run m s New ~self:0 ~target:t : Machine.report))
    [ 0; 1; 2 ];
  Alcotest.(check string)
    "by load, not by number" "0: ready t0 | 1: ready t1 t2" (Look.show m s)

(* A thread enters a queue at its place in the order, behind equal threads. *)
let in_order () =
  let m =
    Machine.create ~threads:4 (Topology.flat 1)
      (Builder.policy { Builder.ule with queues = 2 })
  in
  let s = Machine.initial m in
  let policy = (Machine.layout m).policy in
  let slice =
    List.find
      (fun (a : Core.attribute) -> a.name = "slice")
      (Array.to_list policy.attributes)
  in
  List.iteri
    (fun t n ->
      Look.set_attribute m s slice t n;
      ignore (Machine.run m s New ~self:0 ~target:t : Machine.report))
    [ -1; -3; -1; -2 ];
  Alcotest.(check string)
    "lowest slice first" "0: late t1 t3 t0 t2" (Look.show m s)

(* Causes that excuse a core: a thread arrived (U) or left (B), or was stolen
   for the core from a core with U. No other cause counts. The handlers run on a
   runner that is not under test. *)
let excuses () =
  let m =
    Machine.create ~runners:2 ~threads:3 (Topology.flat 2)
      (Builder.policy Builder.ule)
  in
  let s = Machine.initial m in
  let after event ~self ~target =
    s.(Layout.blocked) <- 0;
    Machine.start m s ~runner:1 event ~self ~target;
    while Machine.busy m s 1 do
      Machine.step m s 1
    done;
    (s.(Layout.blocked), s.(Layout.unblocked))
  in
  let check what expected ?(u = 0) event ~self ~target =
    s.(Layout.unblocked) <- u;
    Alcotest.(check (pair int int)) what expected (after event ~self ~target)
  in
  check "new" (0, 0b01) New ~self:0 ~target:0;
  check "schedule" (0, 0) Schedule ~self:0 ~target:0;
  check "new" (0, 0b10) New ~self:0 ~target:1;
  check "schedule" (0, 0) Schedule ~self:1 ~target:1;
  check "new" (0, 0b01) New ~self:0 ~target:2;
  check "block" (0b10, 0) Block ~self:1 ~target:1;
  check "stolen" (0, 0) Balancing ~self:0 ~target:0;
  Alcotest.(check string) "was stolen" "ready of 1" (placed m s 2);
  check "schedule" (0, 0) Schedule ~self:1 ~target:1;
  check "yield" (0, 0) Yield ~self:1 ~target:2;
  check "unblock" (0, 0b01) Unblock ~self:0 ~target:1;
  check "schedule" (0, 0) Schedule ~self:1 ~target:1;
  check "block" (0b10, 0) Block ~self:1 ~target:2;
  check "stolen from one with U" (0, 0b11) ~u:0b01 Balancing ~self:0 ~target:0

(* At most one synchronized handler is under way. Handlers without the word run
   at any time. *)
let synchronized_exclude () =
  let begins ~synchronized ~newly_idle =
    let shape =
      { Builder.ule with synchronized; newly_idle = Some newly_idle }
    in
    let m =
      Machine.create ~runners:2 ~threads:2 (Topology.flat 2)
        (Builder.policy shape)
    in
    let s = Machine.initial m in
    Machine.start m s ~runner:1 Newly_idle ~self:1 ~target:1;
    let may event =
      let found = ref false in
      Environment.starts m ~kinds:[ event ] s (fun _ ~self:_ ~target:_ ->
          found := true);
      !found
    in
    (may Balancing, may Newly_idle)
  in
  let check what expected found =
    Alcotest.(check (pair bool bool)) what expected found
  in
  check "both" (false, false) (begins ~synchronized:true ~newly_idle:true);
  check "balancing" (true, true) (begins ~synchronized:true ~newly_idle:false);
  check "newly_idle" (true, false) (begins ~synchronized:false ~newly_idle:true);
  check "neither" (true, true) (begins ~synchronized:false ~newly_idle:false)

let topologies_agree () =
  let t = Topology.tree ~cores:4 2 in
  Alcotest.(check int) "domains" 3 (Array.length t.domains);
  let cores = Alcotest.(check (list int)) in
  cores "smallest first" [ 0; 1 ] t.domains.(0).domain_cores;
  cores "largest last" [ 0; 1; 2; 3 ] t.domains.(2).domain_cores;
  Alcotest.(check int) "its groups" 2 (List.length t.domains.(2).domain_groups);
  ignore (Topology.flat Topology.most : Topology.t);
  match Topology.flat (Topology.most + 1) with
  | (_ : Topology.t) -> Alcotest.fail "more cores than there may be"
  | exception Invalid_argument text ->
      Alcotest.(check string)
        "refused" "Topology: 1025 cores; there must be between 1 and 1024" text

(* Sets of one word and of several agree with the standard library after any
   operations. Copies do not change with the original. *)
module Set = Stdlib.Set.Make (Int)

let bits_are_sets n () =
  let bits = Bits.universe n in
  let lasting = List.filter (fun i -> i mod 3 = 0) (List.init n Fun.id) in
  let kept = Bits.of_list bits lasting in
  Bits.keep bits;
  let slots = 4 in
  let words = Array.make slots 0 and sets = Array.make slots Set.empty in
  for step = 1 to 5000 do
    let below k = Random.State.int Watch.chance k in
    let at = below slots and i = below n in
    (match below 4 with
    | 0 | 1 ->
        Bits.add bits words at i;
        sets.(at) <- Set.add i sets.(at)
    | 2 ->
        let i = if Set.is_empty sets.(at) then i else Set.min_elt sets.(at) in
        Bits.remove bits words at i;
        sets.(at) <- Set.remove i sets.(at)
    | _ ->
        let other = below slots in
        words.(at) <- Bits.copy bits words.(other);
        sets.(at) <- sets.(other));
    if step mod 1000 = 0 then begin
      Bits.forget bits;
      Array.fill words 0 slots 0;
      Array.fill sets 0 slots Set.empty
    end;
    Array.iteri
      (fun k set ->
        let w = words.(k) in
        Alcotest.(check (list int))
          "elements" (Set.elements set) (Bits.elements bits w);
        Alcotest.(check bool) "empty is 0" (Set.is_empty set) (w = 0);
        Alcotest.(check bool) "mem" (Set.mem i set) (Bits.mem bits w i);
        if w <> 0 then
          Alcotest.(check int) "least" (Set.min_elt set) (Bits.lowest bits w))
      sets
  done;
  Alcotest.(check (list int))
    "a kept value stays" lasting (Bits.elements bits kept)

let () =
  Watch.suite "policy semantics" (fun () ->
      Alcotest.run ~and_exit:false "policy semantics"
        [
          ( "sets",
            List.map
              (fun n -> Watch.case (Printf.sprintf "of %d" n) (bits_are_sets n))
              [ 5; 62; 63; 160; 1024 ] );
          ( "machine",
            [
              Watch.case "handlers by hand" by_hand;
              Watch.case "numbers" numbers;
              Watch.case "cores alike in a line" in_a_line;
              Watch.case "loads" by_load;
              Watch.case "queues in order" in_order;
              Watch.case "excuses of a core" excuses;
              Watch.case "topologies" topologies_agree;
              Watch.case "random policies in random runs" keeps_invariants;
              Watch.case "synchronized handlers" synchronized_exclude;
            ] );
          ( "faults are seen",
            [
              Watch.case "words lowered late" (faults_are_seen Lower_late);
              Watch.case "lock released early" (faults_are_seen Early_release);
              Watch.case "a thread lost" (faults_are_seen Lose_thread);
            ] );
        ])
