(* Cancellation during waits: no lock is lost, no wake-up, no memory. *)

open Dromos_sync
open Places
module Scope = Dromos.Scope

let random n = Random.State.int Watch.chance n

(* A scope whose tasks are cancelled after a while. *)
let cancelled_soon tasks =
  let turns = random 12 in
  match
    Scope.run (fun s ->
        List.iter (Scope.fork s) tasks;
        for _ = 1 to turns do
          Dromos.yield ()
        done;
        Scope.cancel s)
  with
  | () | (exception Dromos.Cancelled) -> ()

let storms body =
  List.iter
    (fun hub ->
      Dromos.run
        ~workers:(1 + random 2)
        ~hub
        (fun () ->
          for _ = 1 to 60 do
            body ()
          done))
    Dromos.Hub.all

let forever f () =
  while true do
    f ();
    Dromos.check ()
  done

let mutexes () =
  let m = Mutex.create () in
  let inside = Atomic.make 0 in
  let alone f () =
    equal "inside" 1 (1 + Atomic.fetch_and_add inside 1);
    Fun.protect ~finally:(fun () -> Atomic.decr inside) f
  in
  let plain () = Mutex.protect m (alone Dromos.yield) in
  let timed () =
    match Mutex.protect ~timeout:0.0001 m (alone Dromos.yield) with
    | () | (exception Event.Timeout) -> ()
  in
  let other = Mutex.create () in
  let chosen () =
    let got =
      Event.select
        [
          Event.wrap (Mutex.lock_event m) (fun () -> m);
          Event.wrap (Mutex.lock_event other) (fun () -> other);
        ]
    in
    Fun.protect ~finally:(fun () -> Mutex.unlock got) Dromos.yield
  in
  storms (fun () ->
      let tasks = [ plain; plain; timed; chosen; chosen; plain ] in
      cancelled_soon (List.map forever tasks);
      ensure "a mutex was lost"
        (not (Mutex.is_locked m || Mutex.is_locked other)))

(* Claims of one to four of five permits; large claims and choices among
   them. *)
let permits () =
  let s = Semaphore.create ~max:5 5 and held = Atomic.make 0 in
  let other = Semaphore.create ~max:1 1 in
  let stay n =
    let now = n + Atomic.fetch_and_add held n in
    Fun.protect
      ~finally:(fun () -> ignore (Atomic.fetch_and_add held (-n) : int))
      (fun () ->
        if now > 5 then fail "%d permits of 5 are out" now;
        Dromos.yield ())
  in
  let plain n () = Semaphore.with_permit ~n s (fun () -> stay n) in
  let timed n () =
    match Semaphore.with_permit ~timeout:0.0001 ~n s (fun () -> stay n) with
    | () | (exception Event.Timeout) -> ()
  in
  let chosen n () =
    let of_ s n =
      Event.wrap (Semaphore.acquire_event ~n s) (fun () -> (s, n))
    in
    let got, n = Event.select [ of_ s n; of_ other 1 ] in
    Fun.protect ~finally:(fun () -> Semaphore.release ~n got) Dromos.yield
  in
  storms (fun () ->
      let tasks =
        [ plain 1; plain 4; timed 3; chosen 2; chosen 4; plain 2; plain 1 ]
      in
      cancelled_soon (List.map forever tasks);
      equal "permits" 5 (Semaphore.permits s);
      equal "others" 1 (Semaphore.permits other);
      ensure "a task is left in the line" (Semaphore.try_acquire ~n:5 s);
      Semaphore.release ~n:5 s)

(* The tasks behind a large claim that leaves get the available permits. *)
let large_one_leaves () =
  Dromos.run ~workers:2 (fun () ->
      for _ = 1 to 200 do
        let s = Semaphore.create 1 in
        let large =
          Author.Event.start (Semaphore.acquire_event ~n:2 s) ignore
        in
        ensure "overtaken" (not (Semaphore.try_acquire s));
        Scope.run (fun scope ->
            for _ = 1 to 2 do
              Scope.fork scope (fun () -> Semaphore.with_permit s ignore)
            done;
            for _ = 1 to random 4 do
              Dromos.yield ()
            done;
            ensure "it leaves" (large ()));
        equal "permits" 1 (Semaphore.permits s)
      done)

let rwlocks () =
  let l = Rwlock.create () in
  let readers = Atomic.make 0 and writers = Atomic.make 0 in
  let within count f () =
    Atomic.incr count;
    Fun.protect ~finally:(fun () -> Atomic.decr count) f
  in
  let read () =
    Rwlock.with_read l
      (within readers (fun () ->
           equal "writers" 0 (Atomic.get writers);
           Dromos.yield ()))
  in
  let write () =
    Rwlock.with_write l
      (within writers (fun () ->
           equal "writers" 1 (Atomic.get writers);
           equal "readers" 0 (Atomic.get readers);
           Dromos.yield ()))
  in
  let timed f () = match f () with () | (exception Event.Timeout) -> () in
  let timed_write =
    timed (fun () -> Rwlock.with_write ~timeout:0.0001 l Dromos.yield)
  in
  storms (fun () ->
      let tasks = [ read; write; read; timed_write; read; write ] in
      cancelled_soon (List.map forever tasks);
      ensure "the lock was lost" (Rwlock.try_lock_write l);
      Rwlock.unlock_write l)

(* A writer that leaves the queue lets in the readers behind. *)
let writer_leaves () =
  Dromos.run ~workers:2 (fun () ->
      for _ = 1 to 100 do
        let l = Rwlock.create () in
        Rwlock.lock_read l;
        let writer = Author.Event.start (Rwlock.lock_write_event l) ignore in
        Scope.run (fun s ->
            Scope.fork s (fun () -> Rwlock.with_read l ignore);
            for _ = 1 to random 4 do
              Dromos.yield ()
            done;
            ensure "the writer leaves" (writer ()));
        Rwlock.unlock_read l
      done)

(* Tokens under a mutex, one signal each. Consumers are cancelled, more come;
   all tokens are found in the end, or the suite hangs. *)
let conditions () =
  let m = Mutex.create () and c = Condition.create () in
  let tokens = ref 0 and made = ref 0 and used = ref 0 in
  let consume timeout () =
    Mutex.protect m (fun () ->
        while !tokens = 0 do
          match Condition.wait ?timeout c m with
          | () | (exception Event.Timeout) -> ()
        done;
        decr tokens;
        incr used)
  in
  let produce n =
    for _ = 1 to n do
      Mutex.protect m (fun () ->
          incr tokens;
          incr made);
      Condition.signal c
    done
  in
  storms (fun () ->
      let stays = consume None in
      Scope.run (fun s ->
          let before = !used in
          for _ = 1 to 3 do
            Scope.fork s stays
          done;
          Scope.fork s (fun () -> produce 3);
          cancelled_soon
            [
              forever (consume None);
              forever (consume (Some 0.0001));
              forever (consume None);
            ];
          (* Replaces the tokens taken from the consumers that stay. *)
          produce (Int.max 0 (!used - before)));
      equal "tokens" !made (!used + !tokens);
      (* The remaining tokens. *)
      while !tokens > 0 do
        consume None ()
      done);
  ensure "the mutex was lost" (not (Mutex.is_locked m))

(* A cancelled wait returns with the mutex held, although another task holds the
   mutex at the time of the cancellation. *)
let takes_the_mutex_again () =
  storms (fun () ->
      let m = Mutex.create () and c = Condition.create () in
      let waits = ref false and came_back = ref false in
      let waiter () =
        Mutex.lock m;
        waits := true;
        match Condition.wait c m with
        | () -> fail "no task signalled"
        | exception Dromos.Cancelled ->
            came_back := true;
            Mutex.unlock m
      in
      (match
         Scope.run (fun inner ->
             Scope.fork inner waiter;
             while not !waits do
               Dromos.yield ()
             done;
             let holder =
               Domain.spawn (fun () ->
                   Mutex.protect m (fun () ->
                       Scope.cancel inner;
                       Thread.delay 0.0002;
                       ensure "not while another holds it" (not !came_back)))
             in
             Domain.join holder)
       with
      | () | (exception Dromos.Cancelled) -> ());
      ensure "came back" !came_back;
      ensure "the mutex is free" (not (Mutex.is_locked m)))

let barriers () =
  let b = Barrier.create 3 in
  let passes = Atomic.make 0 in
  let party () =
    ignore (Barrier.wait b : bool);
    Atomic.incr passes
  in
  storms (fun () ->
      cancelled_soon (List.init 5 (fun _ -> forever party));
      equal "arrivals were taken back" 0 (Barrier.arrived b);
      (* Parties that came last, or were let through, returned: in groups of
         three. *)
      equal "passes of a round" 0 (Atomic.get passes mod 3))

let cases =
  [
    Watch.case "mutexes" mutexes;
    Watch.case "permits" permits;
    Watch.case "a large claim leaves" large_one_leaves;
    Watch.case "read-write locks" rwlocks;
    Watch.case "a writer leaves" writer_leaves;
    Watch.case "conditions" conditions;
    Watch.case "a cancelled wait takes the mutex again" takes_the_mutex_again;
    Watch.case "barriers" barriers;
  ]
