(* Async first: a program that starts Async itself, as Async's programs do. *)

module Channel = Dromos_sync.Channel
module Event = Dromos_sync.Event
module Promise = Dromos_sync.Promise
module Deferred = Async_kernel.Deferred
module Thread_safe = Async_unix.Thread_safe

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let ( let* ) d f = Deferred.bind d ~f

(* The main thread owns Async before Async runs. *)
let before_go () =
  let p = Promise.create () in
  let d = Dromos_async.sync (Promise.await_event p) in
  bool "not yet" false (Deferred.is_determined d);
  let other = Domain.spawn (fun () -> Promise.resolve p 1) in
  int "value" 1 (Thread_safe.block_on_async_exn (fun () -> d));
  Domain.join other

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

(* Another domain computes for Async code, and asks Async code for a value. *)
let computing () =
  let orders = Channel.create () and results = Channel.create () in
  let computer =
    Domain.spawn (fun () ->
        Dromos.run ~workers:2 (fun () ->
            let rec loop () =
              match Channel.recv orders with
              | 0 -> ()
              | n ->
                  let more =
                    Dromos_async.await (fun () ->
                        Deferred.map
                          (Async_kernel.Clock_ns.after
                             Core.Time_ns.Span.millisecond) ~f:(fun () -> 1))
                  in
                  Channel.send results (fib n + more);
                  loop ()
            in
            loop ()))
  in
  let order n =
    let* () = Dromos_async.sync (Channel.send_event orders n) in
    if n = 0 then Deferred.return 0
    else Dromos_async.sync (Channel.recv_event results)
  in
  let sum =
    Thread_safe.block_on_async_exn (fun () ->
        let* a = order 10 in
        let* b = order 15 in
        let* c = order 0 in
        Deferred.return (a + b + c))
  in
  Domain.join computer;
  int "sum" (56 + 611) sum

(* A systhread outside Async holds Async's lock during [run_in_async]. *)
let threads () =
  let c = Channel.create () in
  let thread =
    Thread.create
      (fun () ->
        Thread_safe.run_in_async_exn (fun () ->
            Async_kernel.don't_wait_for
              (Dromos_async.sync (Channel.send_event c 4))))
      ()
  in
  int "sent" 4
    (Thread_safe.block_on_async_exn (fun () ->
         Dromos_async.sync (Channel.recv_event c)));
  Thread.join thread

let wrong_domain () =
  let refused () =
    match Dromos_async.sync Event.never with
    | _ -> false
    | exception Dromos.Misplaced _ -> true
  in
  bool "refused" true (Domain.join (Domain.spawn refused))

let () =
  Watch.suite "dromos-async, Async first" @@ fun () ->
  Alcotest.run "dromos-async, Async first"
    [
      ( "Async first",
        [
          Watch.case "before go" before_go;
          Watch.case "computing" computing;
          Watch.case "threads" threads;
          Watch.case "wrong domain" wrong_domain;
        ] );
    ]
