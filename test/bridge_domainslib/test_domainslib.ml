(* Dromos's structures in the tasks of the real Domainslib. *)

open Bridged
module Task = Domainslib.Task

let pool = ref None

let get () =
  match !pool with Some pool -> pool | None -> Alcotest.fail "no pool"

(* Whether backtraces are recorded is each domain's own affair, and a task may go
   on in another domain than the one in which it waited. Tasks that wait for each
   other without suspending are each in a domain of its own. *)
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

let () =
  Watch.suite "bridge_domainslib" @@ fun () ->
  Alcotest.run "bridge_domainslib"
    [
      ("the contract, 1", Conformance.cases (scheduler 0));
      ("the contract, 2", Conformance.cases (scheduler 1));
      ("one domain", cases (host "1 domain" 0));
      ("two domains", cases (host "2 domains" 1));
      ("without the bridge", [ Watch.case "await" without_bridge ]);
      ("run", [ Watch.case "Dromos.run inside" misplaced ]);
    ]
