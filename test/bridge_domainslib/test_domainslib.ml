(* Dromos's structures in the tasks of the real Domainslib. *)

open Bridged
module Task = Domainslib.Task

let pool = ref None

let get () =
  match !pool with Some pool -> pool | None -> Alcotest.fail "no pool"

let main num_domains f =
  let p = Task.setup_pool ~num_domains () in
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

let misplaced () = main 1 (misplaced "dromos-domainslib")

let () =
  Watch.suite "bridge_domainslib" @@ fun () ->
  Alcotest.run "bridge_domainslib"
    [
      ("one domain", cases (host "1 domain" 0));
      ("two domains", cases (host "2 domains" 1));
      ("run", [ Watch.case "Dromos.run inside" misplaced ]);
    ]
