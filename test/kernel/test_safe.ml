(* [Dromos.Pool]: exceptions and backtraces, misuse, closing. *)

module Pool = Dromos.Pool
module Future = Pool.Future

let hubs = Array.of_list Dromos.Hub.all

let seed =
  match Sys.getenv_opt "DROMOS_SEED" with
  | Some seed -> int_of_string seed
  | None -> Random.State.bits (Random.State.make_self_init ())

let state = Random.State.make [| seed |]
let hub () = hubs.(Random.State.int state (Array.length hubs))
let workers () = 1 + Random.State.int state 4
let check_int = Alcotest.(check int)

exception Oops of int

let[@inline never] rec deep_oops n =
  if n = 0 then raise (Oops 42)
  else
    let r = deep_oops (n - 1) in
    r + 1

(* True if the backtrace of the last exception reaches the place of the
   raise. *)
let names_its_origin backtrace =
  Said.contains (Printexc.raw_backtrace_to_string backtrace) "deep_oops"

let expect_oops f =
  match f () with
  | _ -> Alcotest.fail "no exception"
  | exception Oops 42 ->
      if not (names_its_origin (Printexc.get_raw_backtrace ())) then
        Alcotest.fail "the backtrace is lost"

let run_raises () =
  Pool.with_ ~hub:(hub ()) ~workers:(workers ()) (fun pool ->
      expect_oops (fun () -> Pool.run pool (fun _ -> deep_oops 3));
      check_int "goes on" 1 (Pool.run pool (fun _ -> 1)))

let future_raises () =
  Pool.with_ ~hub:(hub ()) ~workers:(workers ()) (fun pool ->
      expect_oops (fun () ->
          Pool.run pool (fun ctx ->
              Future.wait ctx (Future.async ctx (fun _ -> deep_oops 3))));
      expect_oops (fun () ->
          Pool.run pool (fun ctx ->
              let a = Future.async ctx (fun _ -> deep_oops 3) in
              let b = Future.map ctx a (fun _ n -> n + 1) in
              Future.iter ctx b (fun _ _ -> failwith "must not run");
              Future.wait ctx b));
      expect_oops (fun () ->
          Pool.run pool (fun ctx ->
              let a = Future.return 3 in
              Future.wait ctx (Future.map ctx a (fun _ n -> deep_oops n)))))

let async_raises () =
  let pool = Pool.create ~hub:(hub ()) ~workers:(workers ()) () in
  let ran = Atomic.make 0 in
  Pool.run pool (fun ctx ->
      for k = 1 to 100 do
        Pool.async ctx (fun _ ->
            Atomic.incr ran;
            if k = 50 then ignore (deep_oops 3))
      done);
  expect_oops (fun () -> Pool.close pool);
  check_int "the others ran" 100 (Atomic.get ran)

let with_raises () =
  expect_oops (fun () ->
      Pool.with_ ~hub:(hub ()) ~workers:(workers ()) (fun pool ->
          Pool.run pool (fun ctx ->
              Pool.async ctx (fun _ -> failwith "not the first"));
          deep_oops 3))

let closed () =
  let pool = Pool.create ~hub:(hub ()) ~workers:(workers ()) () in
  Pool.close pool;
  Alcotest.check_raises "close" Pool.Closed (fun () -> Pool.close pool);
  Alcotest.check_raises "run" Pool.Closed (fun () -> Pool.run pool ignore);
  (* A context used after the end of its task. *)
  let pool = Pool.create ~workers:2 () in
  let context = Pool.run pool Fun.id in
  Pool.close pool;
  let closed what f = Alcotest.check_raises what Pool.Closed f in
  closed "async" (fun () -> Pool.async context ignore);
  closed "workers" (fun () -> ignore (Pool.workers context : int));
  closed "Future.async" (fun () ->
      ignore (Pool.Future.async context ignore : unit Pool.Future.t));
  closed "Future.wait" (fun () ->
      Pool.Future.wait context (Pool.Future.return ()))

let invalid what f =
  match f () with
  | () -> Alcotest.failf "%s: accepted" what
  | exception Invalid_argument _ -> ()

let misuse () =
  List.iter
    (fun workers ->
      invalid "workers" (fun () -> Pool.close (Pool.create ~workers ())))
    [ min_int; -1; 0; 129; max_int ];
  Pool.with_ ~hub:(hub ()) ~workers:2 (fun pool ->
      invalid "run in run" (fun () ->
          Pool.run pool (fun _ -> Pool.run pool ignore));
      invalid "close in run" (fun () ->
          Pool.run pool (fun _ -> Pool.close pool));
      (* On any worker. *)
      for _ = 1 to 20 do
        invalid "run in a task" (fun () ->
            Pool.run pool (fun ctx ->
                Future.wait ctx
                  (Future.async ctx (fun _ -> Pool.run pool ignore))))
      done)

(* A pool used in a task of another pool is no misuse. *)
let two_pools () =
  Pool.with_ ~hub:(hub ()) ~workers:2 (fun outer ->
      Pool.with_ ~hub:(hub ()) ~workers:2 (fun inner ->
          check_int "value" 7
            (Pool.run outer (fun _ -> Pool.run inner (fun _ -> 7)))))

let rec fib ctx n =
  if n < 2 then n
  else
    let a = Future.async ctx (fun ctx -> fib ctx (n - 1)) in
    let b = fib ctx (n - 2) in
    Future.wait ctx a + b

let from_threads () =
  Pool.with_ ~hub:(hub ()) ~workers:(workers ()) (fun pool ->
      let right = Atomic.make 0 in
      let caller () =
        for _ = 1 to 5 do
          if Pool.run pool (fun ctx -> fib ctx 10) = 55 then Atomic.incr right
        done
      in
      let domain () =
        List.iter Thread.join (List.init 3 (fun _ -> Thread.create caller ()))
      in
      List.iter Domain.join (List.init 2 (fun _ -> Domain.spawn domain));
      check_int "right" 30 (Atomic.get right))

let () =
  Printexc.record_backtrace true;
  Printf.printf "DROMOS_SEED=%d\n%!" seed;
  let case what f = Alcotest.test_case what `Quick f in
  Alcotest.run "safe pool"
    [
      ( "exceptions",
        [
          case "errors of run" run_raises;
          case "errors of futures" future_raises;
          case "errors of async" async_raises;
          case "errors of with_" with_raises;
        ] );
      ( "use",
        [
          case "closed" closed;
          case "misuse" misuse;
          case "two pools" two_pools;
          case "threads of two domains" from_threads;
        ] );
    ]
