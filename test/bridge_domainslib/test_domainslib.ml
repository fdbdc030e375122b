(* Dromos's structures in the tasks of the real Domainslib. *)

open Bridged
module Task = Domainslib.Task

let pool = ref None

let get () =
  match !pool with Some pool -> pool | None -> Alcotest.fail "no pool"

(* Makes every domain of the pool record backtraces: the setting belongs to a
   domain, and a task may continue on another domain after a wait. Tasks that
   wait for each other without suspending run on different domains. *)
let record_backtraces pool =
  let n = Task.get_num_domains pool in
  let arrived = Atomic.make 0 in
  let part () =
    Printexc.record_backtrace true;
    Atomic.incr arrived;
    while Atomic.get arrived < n do
      Domain.cpu_relax ()
    done
  in
  Task.run pool (fun () ->
      List.init n (fun _ -> Task.async pool part) |> List.iter (Task.await pool))

let main num_domains f =
  let p = Task.setup_pool ~num_domains () in
  record_backtraces p;
  pool := Some p;
  Fun.protect
    (fun () -> Dromos_domainslib.run p f)
    ~finally:(fun () ->
      pool := None;
      Task.teardown_pool p)

let together fs =
  let p = get () in
  List.map (Dromos_domainslib.async p) fs |> List.iter (Task.await p)

let host name num_domains =
  { name; main = (fun f -> main num_domains f); together }

let scheduler num_domains : Conformance.scheduler =
  {
    name = Printf.sprintf "Domainslib-%d" (num_domains + 1);
    run = (fun f -> main num_domains f);
    fork =
      (fun f ->
        ignore (Dromos_domainslib.async (get ()) f : unit Task.promise);
        ignore);
    cancels = false;
  }

let misplaced () = main 1 (misplaced "dromos-domainslib")

(* Without the bridge: through domain-local-await, which Domainslib provides. *)
let without_bridge () =
  main 0 (fun () ->
      let pool = get () in
      let p = Dromos.Promise.create () in
      let waiter = Task.async pool (fun () -> Dromos.Promise.await p) in
      let filler = Task.async pool (fun () -> Dromos.Promise.resolve p 5) in
      Task.await pool filler;
      Watch.check Alcotest.int "only the task waited" 5 (Task.await pool waiter))

let ways num_domains : Both_ways.ways =
  let host = host "Domainslib" num_domains in
  {
    name = Printf.sprintf "%d more domains" num_domains;
    main = host.main;
    together = host.together;
    offload = (fun ?pool f -> Dromos_domainslib.offload (get ()) ?pool f);
    inside = Dromos_domainslib.in_domainslib;
    with_loop =
      Some
        (fun f ->
          let run served =
            let pool = Task.setup_pool ~num_domains () in
            Task.run pool (fun () -> served pool);
            Task.teardown_pool pool
          in
          Dromos_domainslib.with_loop run (fun _ -> f ()));
    has_domains = num_domains > 0;
  }

(* Once a pool has been set up, its domain's threads share the domain's
   answer. *)
let thread_beside () =
  let pool = Task.setup_pool ~num_domains:1 () in
  let p = Dromos.Promise.create () in
  let thread = Thread.create (fun () -> Dromos.Promise.await p) () in
  Task.run pool (fun () ->
      Unix.sleepf 0.01;
      Dromos.Promise.resolve p ());
  Thread.join thread;
  Task.teardown_pool pool

let () =
  Watch.suite "bridge_domainslib" @@ fun () ->
  Alcotest.run "bridge_domainslib"
    [
      ("the contract, 1", Conformance.cases (scheduler 0));
      ("the contract, 2", Conformance.cases (scheduler 1));
      ("one domain", cases (host "1 domain" 0));
      ("two domains", cases (host "2 domains" 1));
      ("both ways, 1", Both_ways.cases (ways 0));
      ("both ways, 2", Both_ways.cases (ways 1));
      ("a thread beside a pool", [ Watch.case "waits" thread_beside ]);
      ("without the bridge", [ Watch.case "await" without_bridge ]);
      ("run", [ Watch.case "Dromos.run inside" misplaced ]);
    ]
