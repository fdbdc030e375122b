(* The cost of a waiter may grow with the number of waiters like a logarithm,
   and no faster. The test counts words, on one worker. *)

open Dromos_sync
open Places

let allocated () =
  let minor, promoted, major = Gc.counters () in
  minor +. major -. promoted

(* Words for each of [n] fibers that are made, wait, and are served. *)
let words make n =
  Dromos.run ~workers:1 (fun () ->
      let wait, serve = make n in
      let begun = ref 0 in
      let before = allocated () in
      Dromos.Scope.run (fun s ->
          for _ = 1 to n do
            Dromos.Scope.fork s (fun () ->
                incr begun;
                wait ())
          done;
          while !begun < n do
            Dromos.yield ()
          done;
          serve s);
      (allocated () -. before) /. float_of_int n)

let small = 1_000
and large = 16_000

(* A logarithm would grow by a factor of 1.4, a square root by 4. *)
let grows_little make () =
  ignore (words make small : float);
  let few = words make small and many = words make large in
  if many > 1.5 *. few then
    fail "%.0f words for each of %d, %.0f of %d" few small many large

let mutex _ =
  let m = Mutex.create () in
  Mutex.lock m;
  ((fun () -> Mutex.protect m ignore), fun _ -> Mutex.unlock m)

let cancelled _ =
  let m = Mutex.create () in
  Mutex.lock m;
  ((fun () -> Mutex.lock m), Dromos.Scope.cancel)

let semaphore n =
  let s = Semaphore.create 0 in
  ((fun () -> Semaphore.acquire s), fun _ -> Semaphore.release ~n s)

let condition _ =
  let m = Mutex.create () and c = Condition.create () in
  ((fun () -> Mutex.protect m (fun () -> Condition.wait c m)),
   fun _ -> Mutex.protect m (fun () -> Condition.broadcast c))
[@@ocamlformat "disable"]

let barrier n =
  let b = Barrier.create (n + 1) in
  let wait () = ignore (Barrier.wait b : bool) in
  (wait, fun _ -> wait ())

let readers _ =
  let l = Rwlock.create () in
  Rwlock.lock_write l;
  ((fun () -> Rwlock.with_read l ignore), fun _ -> Rwlock.unlock_write l)

let senders n =
  let c = Channel.create () in
  let serve _ =
    for _ = 1 to n do
      Channel.recv c
    done
  in
  ((fun () -> Channel.send c ()), serve)

let choosers n =
  let a = Channel.create () and b = Channel.create () in
  let serve _ =
    for _ = 1 to n do
      Channel.send b ()
    done
  in
  ( (fun () -> Event.select [ Channel.recv_event a; Channel.recv_event b ]),
    serve )

let promise _ =
  let p = Promise.create () in
  ((fun () -> Promise.await p), fun _ -> Promise.resolve p ())

(* No sleeper wakes before the last has begun, even on a busy machine: a wake-up
   in between makes the worker go round once more, which costs words. *)
let sleepers _ = ((fun () -> Dromos.sleep 1.), ignore)
let cancelled_sleepers _ = ((fun () -> Dromos.sleep 3600.), Dromos.Scope.cancel)

let cases =
  let case (name, make) = Watch.case name (grows_little make) in
  List.map case
    [
      ("waiters of a mutex", mutex);
      ("waiters of a mutex, cancelled", cancelled);
      ("waiters of a semaphore", semaphore);
      ("waiters of a condition", condition);
      ("parties of a barrier", barrier);
      ("readers behind a writer", readers);
      ("senders of a channel", senders);
      ("tasks that choose", choosers);
      ("waiters of a promise", promise);
      ("sleepers", sleepers);
      ("sleepers, cancelled", cancelled_sleepers);
    ]
