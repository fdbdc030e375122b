(* Task graphs over fibers: order, suspension, failure, misuse, reuse. The hub and
   the number of workers are drawn for each run of the suite. *)

module Dag = Dromos.Dag
module Promise = Dromos.Promise

let seed =
  match Sys.getenv_opt "DROMOS_TEST_SEED" with
  | Some s -> int_of_string s
  | None -> Random.State.(int (make_self_init ()) 1_000_000)

let random = Random.State.make [| seed |]
let pick l = List.nth l (Random.State.int random (List.length l))
let hub = pick Dromos.Hub.all
let workers = 1 + Random.State.int random 4
let run f = Dromos.run ~workers ~hub f

(* [n] vertices, with edges from lower to higher numbers only. Each vertex notes
   its end, and checks the ends of its predecessors. *)
let random_graph n body =
  let g = Dag.create () in
  let over = Array.init n (fun _ -> Atomic.make 0) in
  let preds = Array.make n [] in
  let early = Atomic.make 0 in
  let code i () =
    let runs = Atomic.get over.(i) in
    List.iter
      (fun p -> if Atomic.get over.(p) <= runs then Atomic.incr early)
      preds.(i);
    body i;
    Atomic.incr over.(i)
  in
  let vertices = Array.init n (fun i -> Dag.vertex g (code i)) in
  for j = 1 to n - 1 do
    for _ = 1 to Random.State.int random 4 do
      let i = Random.State.int random j in
      preds.(j) <- i :: preds.(j);
      Dag.precede vertices.(i) vertices.(j)
    done
  done;
  (g, over, early)

let check_counts name over times =
  Array.iteri
    (fun i c ->
      if Atomic.get c <> times then
        Alcotest.failf "%s: vertex %d ran %d times, not %d" name i
          (Atomic.get c) times)
    over

let test_order () =
  for _ = 1 to 30 do
    let n = 1 + Random.State.int random 60 in
    let body _ = if Random.bool () then Dromos.yield () in
    let g, over, early = random_graph n body in
    Alcotest.(check int) "size" n (Dag.size g);
    run (fun () -> Dag.run g);
    check_counts "first run" over 1;
    run (fun () -> Dag.run g);
    check_counts "second run" over 2;
    Alcotest.(check int) "started early" 0 (Atomic.get early)
  done

(* Each vertex waits for a promise resolved by a task outside the graph. *)
let test_waiting () =
  let n = 40 in
  let gates = Array.init n (fun _ -> Promise.create ()) in
  let g, over, early = random_graph n (fun i -> Promise.await gates.(i)) in
  run (fun () ->
      let opener =
        Dromos.async (fun () ->
            for i = n - 1 downto 0 do
              Dromos.yield ();
              Promise.resolve gates.(i) ()
            done)
      in
      Dag.run g;
      Dromos.await opener);
  check_counts "waiting" over 1;
  Alcotest.(check int) "started early" 0 (Atomic.get early)

exception Boom of int

let[@inline never] boom i = raise (Boom i)

let test_failure () =
  let g = Dag.create () in
  let started = Atomic.make false and cancelled = Atomic.make false in
  let running = Atomic.make false in
  let waits () =
    Atomic.set running true;
    match Promise.await (Promise.create ()) with
    | () -> ()
    | exception (Dromos.Cancelled as e) ->
        Atomic.set cancelled true;
        raise e
  in
  let fails () =
    while not (Atomic.get running) do
      Dromos.yield ()
    done;
    ignore (boom 7)
  in
  let _ = Dag.vertex g waits in
  let bad = Dag.vertex g fails in
  let after = Dag.vertex g (fun () -> Atomic.set started true) in
  Dag.precede bad after;
  Printexc.record_backtrace true;
  (match run (fun () -> Dag.run g) with
  | () -> Alcotest.fail "no exception"
  | exception Boom 7 ->
      let trace = Printexc.get_backtrace () in
      let has_raiser =
        List.exists
          (fun l ->
            String.length l > 0
            && Option.is_some
                 (List.find_opt
                    (fun w -> w = "Dune__exe__Test_dag.boom")
                    (String.split_on_char ' ' l)))
          (String.split_on_char '\n' trace)
      in
      Alcotest.(check bool)
        ("raiser in the backtrace:\n" ^ trace)
        true has_raiser);
  Alcotest.(check bool)
    "a running vertex is cancelled" true (Atomic.get cancelled);
  Alcotest.(check bool) "a later one is not started" false (Atomic.get started)

let contains = Said.contains

let raises_invalid part f =
  match f () with
  | () -> Alcotest.failf "no exception; expected one about %s" part
  | exception Invalid_argument text ->
      Alcotest.(check bool) (text ^ " / " ^ part) true (contains text part)

let test_misuse () =
  let g = Dag.create () in
  let a = Dag.vertex g ~name:"alpha" ignore in
  let b = Dag.vertex g ~name:"beta" ignore in
  let c = Dag.vertex g ~name:"gamma" ignore in
  List.iter (fun (x, y) -> Dag.precede x y) [ (a, b); (b, c); (c, b) ];
  raises_invalid "beta" (fun () -> run (fun () -> Dag.run g));
  let other = Dag.vertex (Dag.create ()) ignore in
  raises_invalid "different graphs" (fun () -> Dag.precede a other);
  (match Dag.run (Dag.create ()) with
  | () -> Alcotest.fail "outside a run"
  | exception Dromos.Misplaced _ -> ());
  let h = Dag.create () in
  let inner = ref ignore in
  let v = Dag.vertex h (fun () -> !inner ()) in
  (inner := fun () -> Dag.precede v v);
  raises_invalid "running" (fun () -> run (fun () -> Dag.run h));
  (inner := fun () -> Dag.run h);
  raises_invalid "running already" (fun () -> run (fun () -> Dag.run h));
  inner := ignore;
  run (fun () -> Dag.run h)

let test_empty_and_large () =
  run (fun () -> Dag.run (Dag.create ()));
  let g = Dag.create () in
  let count = Atomic.make 0 in
  let last = ref (Dag.vertex g (fun () -> Atomic.incr count)) in
  for _ = 1 to 50_000 do
    let v = Dag.vertex g (fun () -> Atomic.incr count) in
    Dag.precede !last v;
    last := v
  done;
  run (fun () -> Dag.run g);
  Alcotest.(check int) "a chain of 50,001" 50_001 (Atomic.get count)

let test_dot () =
  let g = Dag.create () in
  let a = Dag.vertex g ~name:"say \"a\"" ignore in
  let b = Dag.vertex g ignore in
  Dag.precede a b;
  let text = Format.asprintf "%a" Dag.pp_dot g in
  List.iter
    (fun part -> Alcotest.(check bool) part true (contains text part))
    [ "digraph"; {|[label="say \"a\""]|}; {|[label="v1"]|}; "v0 -> v1;" ]

(* {1 Values, conditions, partial runs} *)

let each_run f =
  List.iter
    (fun hub ->
      List.iter (fun workers -> f (Dromos.run ~workers ~hub)) [ 1; 2; 4 ])
    Dromos.Hub.all

let test_values () =
  each_run (fun run ->
      let g = Dag.create () in
      let source = ref 1 in
      let slow v =
        if Random.bool () then Dromos.yield ();
        v
      in
      let leaves =
        List.init 20 (fun i -> Dag.node g (fun () -> slow (!source + i)))
      in
      let doubled = List.map (Dag.map (fun v -> slow (2 * v))) leaves in
      let sum = Dag.map (List.fold_left ( + ) 0) (Dag.all g doubled) in
      let pair = Dag.map2 (fun a b -> (a, b)) sum (List.hd leaves) in
      let seen = ref 0 in
      let reads = Dag.vertex g (fun () -> seen := Dag.value sum) in
      Dag.precede (Dag.of_node sum) reads;
      run (fun () -> Dag.run g);
      Alcotest.(check (pair int int)) "values" (420, 1) (Dag.value pair);
      Alcotest.(check int) "read by a successor" 420 !seen;
      source := 2;
      run (fun () -> Dag.run g);
      Alcotest.(check int) "again" 460 (Dag.value sum))

(* Random graphs with random conditions, against a sequential model: an edge
   leads on if its start ran and, for a branch, chose the edge. *)
let test_branches () =
  each_run (fun run ->
      for _ = 1 to 5 do
        let n = 40 in
        let g = Dag.create () in
        let vertices = Array.make n None in
        let get i = Option.get vertices.(i) in
        let chosen = Array.make n [] and before = Array.make n [] in
        let is_branch = Array.init n (fun _ -> Random.State.int random 3 = 0) in
        for i = 0 to n - 1 do
          let yield () = if i land 3 = 0 then Dromos.yield () in
          let choose () =
            yield ();
            List.map get chosen.(i)
          in
          vertices.(i) <-
            Some
              (if is_branch.(i) then Dag.branch g choose else Dag.vertex g yield);
          if i > 0 then
            for _ = 1 to Random.State.int random 4 do
              let p = Random.State.int random i in
              before.(i) <- p :: before.(i);
              Dag.precede (get p) (get i);
              if Random.State.bool random then chosen.(p) <- i :: chosen.(p)
            done
        done;
        let ran = Array.make n false in
        for i = 0 to n - 1 do
          let leads p =
            ran.(p) && ((not is_branch.(p)) || List.mem i chosen.(p))
          in
          ran.(i) <-
            before.(i) = []
            || List.exists leads before.(i)
               && List.for_all
                    (fun p -> leads p || not is_branch.(p))
                    before.(i)
        done;
        run (fun () -> Dag.run g);
        Array.iteri
          (fun i ran ->
            if Dag.ran (get i) <> ran then Alcotest.failf "vertex %d" i)
          ran
      done)

let test_left_out () =
  each_run (fun run ->
      let g = Dag.create () in
      let left = Dag.node g (fun () -> 1)
      and right = Dag.node g (fun () -> 2) in
      let asks = Dag.branch g (fun () -> [ Dag.of_node right ]) in
      Dag.precede asks (Dag.of_node left);
      Dag.precede asks (Dag.of_node right);
      let next = Dag.map succ left in
      let both = Dag.map2 ( + ) left right in
      let joined = Dag.vertex g ignore in
      Dag.precede (Dag.of_node left) joined;
      Dag.precede (Dag.of_node right) joined;
      run (fun () -> Dag.run g);
      Alcotest.(check (list (option int)))
        "values"
        [ None; Some 2; None; None ]
        (List.map Dag.value_opt [ left; right; next; both ]);
      Alcotest.(check bool) "joined" true (Dag.ran joined))

let test_partial () =
  each_run (fun run ->
      let g = Dag.create () in
      let count = Atomic.make 0 in
      let node v =
        Dag.node g (fun () ->
            Atomic.incr count;
            v)
      in
      let a = node 1 and b = node 2 and c = node 3 in
      let ab = Dag.map2 ( + ) a b in
      let abc = Dag.map2 ( + ) ab c in
      run (fun () -> Dag.run g);
      Atomic.set count 0;
      run (fun () -> Dag.run ~only:[ Dag.of_node ab ] g);
      Alcotest.(check int) "two leaves" 2 (Atomic.get count);
      Alcotest.(check (list (option int)))
        "values" [ Some 3; None; None ]
        (List.map Dag.value_opt [ ab; c; abc ]);
      run (fun () -> Dag.run ~only:[] g);
      Alcotest.(check int) "none" 2 (Atomic.get count))

(* A vertex makes a graph whose size is a value. *)
let test_dynamic () =
  each_run (fun run ->
      let g = Dag.create () in
      let size = Dag.node g (fun () -> 30) in
      let sum =
        Dag.map
          (fun n ->
            let inner = Dag.create () in
            let squares =
              List.init n (fun i -> Dag.node inner (fun () -> i * i))
            in
            let sum =
              Dag.map (List.fold_left ( + ) 0) (Dag.all inner squares)
            in
            Dag.run inner;
            Dag.value sum)
          size
      in
      let next = Dag.map succ sum in
      run (fun () -> Dag.run g);
      Alcotest.(check int) "sum" 8556 (Dag.value next))

let test_value_misuse () =
  let g = Dag.create () in
  let a = Dag.node g ~name:"alpha" (fun () -> 1) in
  raises_invalid "alpha" (fun () -> ignore (Dag.value a));
  let other = Dag.node (Dag.create ()) (fun () -> 2) in
  raises_invalid "another graph" (fun () -> ignore (Dag.map2 ( + ) a other));
  raises_invalid "another graph" (fun () -> ignore (Dag.all g [ a; other ]));
  Alcotest.(check int) "nothing was added" 1 (Dag.size g);
  raises_invalid "another graph" (fun () ->
      run (fun () -> Dag.run ~only:[ Dag.of_node other ] g));
  let asks = Dag.branch g ~name:"asks" (fun () -> [ Dag.of_node a ]) in
  ignore asks;
  raises_invalid "does not precede" (fun () -> run (fun () -> Dag.run g));
  let h = Dag.create () in
  let bad = Dag.node h (fun () -> boom 3) in
  let next = Dag.map Fun.id bad in
  (match run (fun () -> Dag.run h) with
  | () -> Alcotest.fail "no exception"
  | exception Boom 3 -> ());
  Alcotest.(check bool) "no value" true (Dag.value_opt next = None)

let () =
  Printf.printf "DROMOS_TEST_SEED=%d: hub %s, %d workers\n%!" seed
    (Dromos.Hub.name hub) workers;
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "dag"
    [
      ( "dag",
        [
          case "order, twice" test_order;
          case "waiting vertices" test_waiting;
          case "failure" test_failure;
          case "misuse" test_misuse;
          case "empty, and a long chain" test_empty_and_large;
          case "dot" test_dot;
          case "values" test_values;
          case "branches" test_branches;
          case "parts left out" test_left_out;
          case "partial runs" test_partial;
          case "graphs in graphs" test_dynamic;
          case "misuse of values" test_value_misuse;
        ] );
    ]
