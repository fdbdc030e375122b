(* Programs on hubs made from policies. The result is right under each policy,
   and every worker is used when there is enough work. *)

let hubs =
  List.map
    (fun (name, maker) -> Dromos.Hub.v ~name maker)
    [
      ("ule_cwc", Ule_cwc.maker);
      ("ule", Ule.maker);
      ("cfs_cwc", Cfs_cwc.maker);
      ("cfs_cwc_flat", Cfs_cwc_flat.maker);
      ("fifo", Fifo.maker);
      ("round_robin", Round_robin.maker);
      ("lottery", Lottery.maker);
      ("scx_flatcg", Scx_flatcg.maker);
      ("scx_rusty", Scx_rusty.maker);
      ("scx_simple_vtime", Scx_simple_vtime.maker);
      ("edf", Edf.maker);
      ("work_stealing", Work_stealing.maker);
      ("random_stealing", Random_stealing.maker);
      ("threshold3", Threshold3.maker);
    ]

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let forks run = Watch.check Alcotest.int "fib" 6765 (run (fun () -> fib 20))

let tasks run =
  let sum =
    run (fun () ->
        let task i () =
          if i mod 3 = 0 then Dromos.yield ();
          if i mod 7 = 0 then Dromos.sleep 0.0005;
          i
        in
        let all = List.init 500 (fun i -> Dromos.async (task i)) in
        List.fold_left (fun sum p -> sum + Dromos.await p) 0 all)
  in
  Watch.check Alcotest.int "sum" (500 * 499 / 2) sum

(* Fibers that block and are unblocked all the time. *)
let messages run =
  let n = 300 in
  let got =
    run (fun () ->
        let open Dromos_sync in
        let a = Channel.create () and b = Channel.create ~capacity:2 () in
        let feed =
          Dromos.async (fun () ->
              for i = 1 to n do
                Channel.send a i
              done)
        and pass =
          Dromos.async (fun () ->
              for _ = 1 to n do
                Channel.send b (Channel.recv a)
              done)
        in
        let sum = ref 0 in
        for _ = 1 to n do
          sum := !sum + Channel.recv b
        done;
        Dromos.await feed;
        Dromos.await pass;
        !sum)
  in
  Watch.check Alcotest.int "sum" (n * (n + 1) / 2) got

(* Each fiber waits for all: no fiber may starve behind a long one. *)
let together workers run =
  let here = Atomic.make 0 in
  run (fun () ->
      let meet () =
        Atomic.incr here;
        while Atomic.get here < workers do
          Dromos.yield ()
        done
      in
      ignore (Dromos.all (List.init workers (fun _ -> meet)) : unit list))

let failing run =
  match
    run (fun () ->
        let p = Dromos.async (fun () -> failwith "there") in
        let q = Dromos.async (fun () -> Dromos.sleep 60.) in
        Dromos.await p;
        Dromos.await q)
  with
  | () -> Alcotest.fail "it went well"
  | exception Failure text -> Watch.check Alcotest.string "failure" "there" text

let pinned run =
  let ends = Atomic.make 0 in
  run (fun () ->
      Dromos.Sched.Round_robin.run (fun () ->
          for i = 1 to 50 do
            Dromos.Sched.Round_robin.spawn (fun () ->
                if i mod 5 = 0 then Dromos.yield ();
                Atomic.incr ends)
          done));
  Watch.check Alcotest.int "ended" 50 (Atomic.get ends)

(* Two fibers meet although yielding threads that never wait run beside them,
   even on a worker that does not serve yet. *)
let beside run =
  let stop = Atomic.make false in
  run (fun () ->
      Dromos.Scope.run (fun scope ->
          for _ = 1 to 6 do
            Dromos.Scope.fork scope (fun () ->
                while not (Atomic.get stop) do
                  Dromos.yield ()
                done)
          done;
          let barrier = Dromos_sync.Barrier.create 2 in
          let meet () =
            for _ = 1 to 30 do
              ignore (Dromos_sync.Barrier.wait barrier : bool)
            done
          in
          ignore (Dromos.all [ meet; meet ] : unit list);
          Atomic.set stop true))

(* A fiber sets attributes of itself: only the setters of its hub's policy
   work. *)
let attributes run hub =
  run (fun () ->
      let told name say =
        match say () with
        | () -> Watch.check Alcotest.string "hub" name (Dromos.Hub.name hub)
        | exception Invalid_argument text ->
            let prefix = name ^ ".set_" in
            Watch.check Alcotest.string "named" prefix
              (String.sub text 0 (String.length prefix))
      in
      told "cfs_cwc" (fun () -> Cfs_cwc.set_nice 5);
      told "ule_cwc" (fun () -> Ule_cwc.set_interrupt true);
      Dromos.yield ();
      Dromos.sleep 0.001)

let nowhere () =
  match Cfs_cwc.set_nice 5 with
  | () -> Alcotest.fail "outside of a run"
  | exception Dromos.Misplaced _ -> ()

let suite hub workers =
  let run f = Dromos.run ~workers ~hub f in
  let case name f = Watch.case name (fun () -> f run) in
  ( Printf.sprintf "%s, %d workers" (Dromos.Hub.name hub) workers,
    [
      case "forks" forks;
      case "tasks" tasks;
      case "messages" messages;
      case "together" (together workers);
      case "failing" failing;
      case "pinned" pinned;
      case "beside" beside;
      case "attributes" (fun run -> attributes run hub);
    ] )

let () =
  Watch.suite "compiled policies" @@ fun () ->
  Alcotest.run "compiled policies"
    (("a fiber's attributes", [ Watch.case "nowhere" nowhere ])
    :: List.concat_map (fun hub -> List.map (suite hub) [ 1; 3 ]) hubs)
