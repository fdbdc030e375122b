(* Promises against a sequential model, between plain domains and systhreads,
   and under a million cancelled waits. *)

module Promise = Dromos_sync.Promise

exception Boom of int

let no_backtrace = Printexc.get_callstack 0

(* {1 The model} *)

module Spec = struct
  type sut = int Promise.t

  (* The result, and whether any task asked for it. *)
  type state = { result : (int, int) result option; awaited : bool }

  type cmd =
    | Resolve of int
    | Fail of int
    | Try_fulfil of int
    | Peek
    | Is_resolved
    | Is_awaited
    | Fulfil_and_await of int
    | Fulfil_and_result of int

  let show_cmd = function
    | Resolve n -> Printf.sprintf "resolve %d" n
    | Fail n -> Printf.sprintf "fail %d" n
    | Try_fulfil n -> Printf.sprintf "try_resolve %d" n
    | Peek -> "peek"
    | Is_resolved -> "is_resolved"
    | Is_awaited -> "is_awaited"
    | Fulfil_and_await n -> Printf.sprintf "try_resolve %d; await" n
    | Fulfil_and_result n -> Printf.sprintf "try_resolve (Boom %d); result" n

  let arb_cmd _ =
    let open QCheck.Gen in
    let with_int f = map f (int_bound 9) in
    QCheck.make ~print:show_cmd
      (frequency
         [
           (2, with_int (fun n -> Resolve n));
           (2, with_int (fun n -> Fail n));
           (2, with_int (fun n -> Try_fulfil n));
           (3, return Peek);
           (3, return Is_resolved);
           (2, return Is_awaited);
           (1, with_int (fun n -> Fulfil_and_await n));
           (1, with_int (fun n -> Fulfil_and_result n));
         ])

  let init_state = { result = None; awaited = false }
  let init_sut () = Promise.create ()
  let cleanup _ = ()
  let precond _ _ = true

  let set result state =
    match state.result with
    | Some _ -> state
    | None -> { state with result = Some result }

  let next_state cmd state =
    match cmd with
    | Resolve n | Try_fulfil n -> set (Ok n) state
    | Fail n -> set (Error n) state
    | Fulfil_and_await n -> { (set (Ok n) state) with awaited = true }
    | Fulfil_and_result n -> { (set (Error n) state) with awaited = true }
    | Peek | Is_resolved | Is_awaited -> state

  let plain = function
    | Ok n -> Ok n
    | Error (Boom n, _) -> Error n
    | Error (e, _) -> raise e

  let outcome : (int, int) result STM.ty_show = STM.(result int int)

  let run cmd t =
    let open STM in
    match cmd with
    | Resolve n ->
        Res (result unit exn, protect (fun () -> Promise.resolve t n) ())
    | Fail n ->
        Res
          ( result unit exn,
            protect (fun () -> Promise.fail t (Boom n) no_backtrace) () )
    | Try_fulfil n -> Res (bool, Promise.try_resolve t (Ok n))
    | Peek -> Res (option outcome, Option.map plain (Promise.peek t))
    | Is_resolved -> Res (bool, Promise.is_resolved t)
    | Is_awaited -> Res (bool, Promise.is_awaited t)
    | Fulfil_and_await n ->
        ignore (Promise.try_resolve t (Ok n));
        Res
          ( outcome,
            match Promise.await t with v -> Ok v | exception Boom n -> Error n
          )
    | Fulfil_and_result n ->
        ignore (Promise.try_resolve t (Error (Boom n, no_backtrace)));
        Res (outcome, plain (Promise.result t))

  let postcond cmd state res =
    let open STM in
    let free = state.result = None in
    let final = (next_state cmd state).result in
    match (cmd, res) with
    | (Resolve _ | Fail _), Res ((Result (Unit, Exn), _), r) -> (
        match r with
        | Ok () -> free
        | Error (Invalid_argument _) -> not free
        | Error _ -> false)
    | Try_fulfil _, Res ((Bool, _), won) -> won = free
    | Peek, Res ((Option (Result (Int, Int)), _), r) -> r = state.result
    | Is_resolved, Res ((Bool, _), r) -> r = not free
    | Is_awaited, Res ((Bool, _), r) -> r = state.awaited
    | (Fulfil_and_await _ | Fulfil_and_result _), Res ((Result (Int, Int), _), r)
      ->
        Some r = final
    | _, _ -> false
end

(* Asking for the result and fulfilling are two steps, so the two compound
   commands are left to the sequential run. *)
module Parallel_spec = struct
  include Spec

  let arb_cmd state =
    let simple = function
      | Fulfil_and_await _ | Fulfil_and_result _ -> Is_resolved
      | cmd -> cmd
    in
    QCheck.make ~print:show_cmd
      (QCheck.Gen.map simple (QCheck.gen (arb_cmd state)))
end

module Sequential = STM_sequential.Make (Spec)
module Parallel = STM_domain.Make (Parallel_spec)

let model =
  [
    Sequential.agree_test ~count:1000 ~name:"promise: sequential model";
    Parallel.agree_test_par ~count:50 ~name:"promise: two domains";
  ]

(* {1 Plain threads} *)

let ensure text ok = if not ok then failwith text

(* Waiters in domains and systhreads, and several resolving threads: the first
   wins, and all waiters see the value. *)
let threads () =
  for round = 1 to 20 do
    let p = Promise.create () in
    let wins = Atomic.make 0 and right = Atomic.make 0 in
    let winner = Atomic.make (-1) in
    let wait () =
      let v = Promise.await p in
      if v = Promise.await p then Atomic.incr right
    in
    let give n () =
      if round land 1 = 0 then Thread.yield ();
      if Promise.try_resolve p (Ok n) then begin
        Atomic.incr wins;
        Atomic.set winner n
      end
    in
    let domain =
      Domain.spawn (fun () ->
          let inner = List.init 2 (fun _ -> Thread.create wait ()) in
          give 1 ();
          wait ();
          List.iter Thread.join inner)
    in
    let mine =
      List.init 3 (fun _ -> Thread.create wait ())
      @ List.init 2 (fun n -> Thread.create (give (n + 2)) ())
    in
    List.iter Thread.join mine;
    Domain.join domain;
    ensure "one winner" (Atomic.get wins = 1);
    ensure "every waiter came back" (Atomic.get right = 6);
    ensure "its value" (Promise.await p = Atomic.get winner)
  done

(* The exception arrives in each waiting thread, with its backtrace. *)
let[@inline never] boom n = if n > 0 then raise (Boom n)

let failures () =
  Printexc.record_backtrace true;
  let p = Promise.create () in
  let seen = Atomic.make 0 in
  let wait () =
    match Promise.await p with () -> () | exception Boom 7 -> Atomic.incr seen
  in
  let waiters = List.init 5 (fun _ -> Thread.create wait ()) in
  (match boom 7 with
  | () -> ()
  | exception e -> Promise.fail p e (Printexc.get_raw_backtrace ()));
  List.iter Thread.join waiters;
  ensure "each" (Atomic.get seen = 5);
  match Promise.peek p with
  | Some (Error (Boom 7, bt)) ->
      ensure "backtrace" (Printexc.raw_backtrace_length bt > 0)
  | Some _ | None -> failwith "not failed"

(* {1 Cancelled waits} *)

(* A scheduler that cancels every wait at once. *)
exception Cancelled

let cancelled_wait p =
  let open Effect.Deep in
  match_with
    (fun () ->
      match Promise.await p with
      | () -> failwith "not cancelled"
      | exception Cancelled -> ())
    ()
    {
      retc = Fun.id;
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Dromos_suspend.Suspend block ->
              Some
                (fun (k : (a, unit) continuation) ->
                  match block (fun _ -> false) with
                  | Some v -> continue k v
                  | None -> discontinue k Cancelled)
          | _ -> None);
    }

let live_words () =
  Gc.full_major ();
  (Gc.stat ()).live_words

let leak () =
  let p = Promise.create () in
  let woken = ref 0 in
  (* Ten waiters stay; many leave. *)
  let stay =
    List.init 10 (fun _ ->
        Thread.create
          (fun () ->
            Promise.await p;
            incr woken)
          ())
  in
  Thread.delay 0.05;
  for _ = 1 to 1000 do
    cancelled_wait p
  done;
  let before = live_words () in
  for _ = 1 to 1_000_000 do
    cancelled_wait p
  done;
  let after = live_words () in
  ensure
    (Printf.sprintf "live words: %d, then %d" before after)
    (after < before + 10_000);
  Promise.resolve p ();
  List.iter Thread.join stay;
  ensure "the waiters that stayed were woken" (!woken = 10)

(* {1 Promises made from promises} *)

let error p =
  match Promise.peek p with Some (Error (Boom n, _)) -> Some n | _ -> None

let derived () =
  let p = Promise.create ~name:"p" () and q = Promise.create () in
  let both = Promise.both p q
  and all = Promise.all [ p; q; Promise.return 3 ] in
  let next = Promise.map succ p in
  let seen = ref [] in
  Promise.on_result next (fun r -> seen := Result.get_ok r :: !seen);
  Promise.resolve q 2;
  ensure "both waits for its first" (not (Promise.is_resolved both));
  let waiter = Thread.create (fun () -> Promise.await next) () in
  Promise.resolve p 1;
  Thread.join waiter;
  ensure "map" (Promise.await next = 2 && !seen = [ 2 ]);
  ensure "both" (Promise.await both = (1, 2));
  ensure "all" (Promise.await all = [ 1; 2; 3 ]);
  ensure "none" (Promise.await (Promise.all []) = []);
  Promise.on_result next (fun r -> seen := Result.get_ok r :: !seen);
  ensure "at once" (!seen = [ 2; 2 ]);
  let many = List.init 100_000 Promise.return in
  ensure "many" (List.length (Promise.await (Promise.all many)) = 100_000)

(* The failure that is raised, and whether its source then counts as awaited. *)
let derived_failures () =
  let failed n =
    let p = Promise.create () in
    Promise.fail p (Boom n) no_backtrace;
    p
  in
  let pending = Promise.create () and bad = failed 1 in
  let both = Promise.both pending bad and other = Promise.both bad pending in
  ensure "its first is pending" (not (Promise.is_resolved both));
  ensure "its first failed" (error other = Some 1);
  ensure "no task asked" (not (Promise.is_awaited bad));
  (match Promise.await other with
  | _ -> failwith "no failure"
  | exception Boom 1 -> ());
  ensure "a task asked" (Promise.is_awaited bad);
  ensure "not for the other" (not (Promise.is_awaited pending));
  let bad = failed 2 in
  let all = Promise.all [ Promise.return 0; bad; failed 3 ] in
  ensure "the leftmost" (error all = Some 2);
  ignore (Promise.result (Promise.map List.length all |> Promise.map succ));
  ensure "through two" (Promise.is_awaited bad);
  (* Awaited before the failure. *)
  let late = Promise.create () in
  let mapped = Promise.map Fun.id late in
  let waiter = Thread.create (fun () -> Promise.result mapped) () in
  while not (Promise.is_awaited late) do
    Thread.yield ()
  done;
  Promise.fail late (Boom 4) no_backtrace;
  Thread.join waiter;
  let raises = Promise.map (fun _ -> raise (Boom 5)) (Promise.return 0) in
  ensure "the function's" (error raises = Some 5)

let with_time () =
  let p = Promise.create () in
  (match Promise.await_for 0.001 p with
  | () -> failwith "no timeout"
  | exception Dromos_sync.Event.Timeout -> ());
  Promise.resolve p ();
  Promise.await_for 0. p;
  ensure "result" (Result.is_ok (Promise.result_for 0. p));
  let d = Promise.create () in
  let mapped = Promise.map Fun.id d in
  (match Promise.await_for 0.001 mapped with
  | () -> failwith "no timeout"
  | exception Dromos_sync.Event.Timeout -> ());
  Promise.resolve d ();
  Promise.await_for 10. mapped

(* A loop that replaces a promise by a derived one keeps none of the old
   promises. *)
let derived_leak () =
  let p = ref (Promise.return 0) in
  let go n =
    for _ = 1 to n do
      p := Promise.map succ !p
    done
  in
  go 1000;
  let before = live_words () in
  go 100_000;
  ensure "kept" (live_words () < before + 10_000);
  ensure "mapped" (Promise.await !p = 101_000)

let main () =
  Alcotest.run "promises"
    [
      ( "model",
        List.map
          (fun test ->
            let (QCheck2.Test.Test cell) = test in
            Watch.case (QCheck2.Test.get_name cell) (fun () ->
                QCheck2.Test.check_cell_exn
                  ~rand:(Random.State.make [| Watch.seed |])
                  cell))
          model );
      ( "threads",
        [
          Watch.case "await and try_resolve" threads;
          Watch.case "failures" failures;
        ] );
      ( "derived",
        [
          Watch.case "values" derived;
          Watch.case "failures" derived_failures;
          Watch.case "with a time" with_time;
          Watch.case "no leak" derived_leak;
        ] );
      ("cancelled waits", [ Watch.case "a million" leak ]);
    ]

let () = Watch.suite "promises" main
