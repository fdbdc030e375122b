(* Domainslib's interface over Dromos does what Domainslib's documentation says. *)

module Task = Drop_in.Task
module Chan = Drop_in.Chan

let with_pool num_domains f () =
  let pool = Task.setup_pool ~num_domains () in
  Fun.protect (fun () -> f pool) ~finally:(fun () -> Task.teardown_pool pool)

let loops pool =
  let n = 1000 in
  let seen = Array.make n 0 in
  let sum, scanned, found =
    Task.run pool (fun () ->
        Task.parallel_for pool ~start:0 ~finish:(n - 1) ~body:(fun i ->
            seen.(i) <- seen.(i) + 1);
        Task.parallel_for pool ~chunk_size:7 ~start:5 ~finish:4 ~body:(fun _ ->
            assert false);
        ( Task.parallel_for_reduce pool ~chunk_size:3 ~start:1 ~finish:100
            ~body:Fun.id ( + ) 1000,
          Task.parallel_scan pool ( ^ ) [| "a"; "b"; "c"; "d" |],
          Task.parallel_find pool ~start:0 ~finish:99 ~body:(fun i ->
              if i = 40 then Some "forty" else None) ))
  in
  Alcotest.(check (array int)) "each index once" (Array.make n 1) seen;
  Alcotest.(check int) "reduced" 6050 sum;
  Alcotest.(check (array string))
    "scanned"
    [| "a"; "ab"; "abc"; "abcd" |]
    scanned;
  Alcotest.(check (option string)) "found" (Some "forty") found

let rec fib pool n =
  if n < 2 then n
  else
    let a = Task.async pool (fun () -> fib pool (n - 1)) in
    let b = fib pool (n - 2) in
    Task.await pool a + b

let tasks pool =
  Alcotest.(check int) "inside" 610 (Task.run pool (fun () -> fib pool 15));
  Alcotest.(check int)
    "run in run" 1
    (Task.run pool (fun () -> Task.run pool (fun () -> 1)));
  let outside = Task.async pool (fun () -> 7) in
  Alcotest.(check int) "outside of any run" 7 (Task.await pool outside);
  Alcotest.check_raises "the task's exception" Exit (fun () ->
      Task.run pool (fun () ->
          Task.await pool (Task.async pool (fun () -> raise Exit))))

let names () =
  let pool = Task.setup_pool ~name:"named" ~num_domains:2 () in
  Alcotest.(check int) "domains" 3 (Task.get_num_domains pool);
  Alcotest.(check bool) "found" true (Task.lookup_pool "named" = Some pool);
  Task.teardown_pool pool;
  Alcotest.(check bool) "gone" true (Task.lookup_pool "named" = None);
  Alcotest.check_raises "torn down"
    (Invalid_argument "Task: the pool is torn down") (fun () ->
      Task.run pool ignore)

let channels () =
  let c = Chan.make_bounded 1 in
  Alcotest.(check bool) "room" true (Chan.send_poll c 1);
  Alcotest.(check bool) "full" false (Chan.send_poll c 2);
  Alcotest.(check (option int)) "one" (Some 1) (Chan.recv_poll c);
  Alcotest.(check (option int)) "empty" None (Chan.recv_poll c);
  let d = Domain.spawn (fun () -> List.init 100 (fun _ -> Chan.recv c)) in
  List.iter (Chan.send c) (List.init 100 Fun.id);
  Alcotest.(check (list int)) "in order" (List.init 100 Fun.id) (Domain.join d);
  let u = Chan.make_unbounded () in
  List.iter (Chan.send u) (List.init 1000 Fun.id);
  Alcotest.(check int) "unbounded" 0 (Chan.recv u)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "drop-in"
    [
      ( "task",
        [
          case "loops" (with_pool 1 loops);
          case "loops, one domain" (with_pool 0 loops);
          case "tasks" (with_pool 1 tasks);
          case "tasks, one domain" (with_pool 0 tasks);
          case "names" names;
        ] );
      ("chan", [ case "bounded and unbounded" channels ]);
    ]
