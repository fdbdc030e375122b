(* Error messages, and time-outs. *)

open Dromos_sync
open Places

let run f = Dromos.run ~workers:2 f

(* In a fiber of its own, since a fiber that awaits a task may run the task
   itself. *)
let elsewhere f = Dromos.Scope.run (fun s -> Dromos.Scope.fork s f)

let unlock_another's () =
  let m = Mutex.create ~name:"log" () in
  run (fun () ->
      Mutex.lock m;
      elsewhere (fun () ->
          let me = Printf.sprintf "fiber %d" (Dromos_suspend.self ()) in
          raises_text "unlock" [ "Mutex.unlock on log"; "held by fiber"; me ]
            (fun () -> Mutex.unlock m);
          raises_text "wait" [ "Mutex.unlock on log"; me ] (fun () ->
              Condition.wait (Condition.create ()) m));
      ensure "still held" (Mutex.is_locked m);
      Mutex.unlock m);
  Mutex.lock m;
  Domain.join
    (Domain.spawn (fun () ->
         raises_text "unlock" [ "held by thread"; "the caller, thread" ]
           (fun () -> Mutex.unlock m)));
  Mutex.unlock m

let unlock_free () =
  let m = Mutex.create ~name:"log" () in
  let told = raises_text "unlock" [ "Mutex.unlock on log: no task holds it" ] in
  told (fun () -> Mutex.unlock m);
  run (fun () -> told (fun () -> Mutex.unlock m));
  Mutex.protect m ignore;
  told (fun () -> Mutex.unlock m);
  raises_text "protect" [ "Mutex.protect on log: no task holds it" ] (fun () ->
      Mutex.protect m (fun () -> Mutex.unlock m))

(* On one worker the waiter stands in the queue once [begun] is set, and does not
   run before the next yield: the lock is on its way to the waiter. *)
let unlock_passed ~lock ~unlock ~wait text =
  Dromos.run ~workers:1 (fun () ->
      let begun = ref false and over = ref false in
      lock ();
      Dromos.Scope.run (fun s ->
          Dromos.Scope.fork s (fun () ->
              begun := true;
              wait (fun () ->
                  Dromos.yield ();
                  over := true));
          while not !begun do
            Dromos.yield ()
          done;
          unlock ();
          raises_text "unlock" [ text ] unlock);
      ensure "the waiter had the lock" !over;
      lock ();
      unlock ())

let unlock_passed () =
  let m = Mutex.create ~name:"log" () and l = Rwlock.create ~name:"table" () in
  let mutex wait =
    unlock_passed
      ~lock:(fun () -> Mutex.lock m)
      ~unlock:(fun () -> Mutex.unlock m)
      ~wait "Mutex.unlock on log: no task holds it"
  in
  mutex (Mutex.protect m);
  mutex (Mutex.protect ~timeout:60. m);
  unlock_passed
    ~lock:(fun () -> Rwlock.lock_write l)
    ~unlock:(fun () -> Rwlock.unlock_write l)
    ~wait:(Rwlock.with_write l) "Rwlock.unlock_write on table: no task holds it"

let lock_twice () =
  let m = Mutex.create ~name:"log" () in
  let twice () =
    Mutex.protect m (fun () ->
        let told = raises_text "lock" [ " on log: "; "wait for itself" ] in
        told (fun () -> Mutex.lock m);
        told (fun () -> Mutex.lock ~timeout:1. m);
        told (fun () -> Mutex.protect m ignore);
        ensure "try_lock" (not (Mutex.try_lock m));
        ensure "lock_event" (Event.poll (Mutex.lock_event m) = None))
  in
  twice ();
  run twice;
  (* The mutex is locked by an event, and by a task that waited. *)
  Event.sync (Mutex.lock_event m);
  raises_text "lock" [ "wait for itself" ] (fun () -> Mutex.lock m);
  Mutex.unlock m;
  ensure "free" (not (Mutex.is_locked m))

let rwlock_owners () =
  let l = Rwlock.create ~name:"table" () in
  raises_text "unlock_read" [ "Rwlock.unlock_read on table: no task" ]
    (fun () -> Rwlock.unlock_read l);
  raises_text "unlock_write" [ "Rwlock.unlock_write on table: no task" ]
    (fun () -> Rwlock.unlock_write l);
  Rwlock.with_read l (fun () ->
      raises_text "unlock_write" [ "no task" ] (fun () -> Rwlock.unlock_write l));
  Rwlock.with_write l (fun () ->
      List.iter
        (raises_text "lock" [ " on table: "; "wait for itself" ])
        [
          (fun () -> Rwlock.lock_write l);
          (fun () -> Rwlock.lock_read l);
          (fun () -> Rwlock.lock_read ~timeout:1. l);
        ];
      raises_text "unlock_read" [ "no task" ] (fun () -> Rwlock.unlock_read l));
  run (fun () ->
      Rwlock.lock_write l;
      elsewhere (fun () ->
          raises_text "unlock_write" [ "held by fiber" ] (fun () ->
              Rwlock.unlock_write l);
          raises_text "downgrade" [ "Rwlock.downgrade on table" ] (fun () ->
              Rwlock.downgrade l));
      Rwlock.unlock_write l);
  ensure "free" (Rwlock.try_lock_write l)

let once_only () =
  let cell = Ivar.create ~name:"config" () in
  Ivar.fill cell 1;
  raises_text "fill" [ "Ivar.fill on config: it is full" ] (fun () ->
      Ivar.fill cell 2);
  equal "the first" 1 (Ivar.read cell);
  let latch = Latch.create ~name:"ready" 2 in
  raises_text "count_down" [ "Latch.count_down on ready: 3 steps"; "2 left" ]
    (fun () -> Latch.count_down ~by:3 latch);
  Latch.count_down ~by:2 latch;
  raises_text "count_down" [ "0 left" ] (fun () -> Latch.count_down latch);
  raises_text "create" [ "Latch.create" ] (fun () -> Latch.create (-1));
  raises_text "create" [ "Barrier.create" ] (fun () -> Barrier.create 0);
  Latch.wait (Latch.create 0)

exception Mine

let released_on_exceptions () =
  let m = Mutex.create () and l = Rwlock.create () in
  let raising f =
    match f () with () -> fail "no exception" | exception Mine -> ()
  in
  raising (fun () -> Mutex.protect m (fun () -> raise Mine));
  raising (fun () -> Rwlock.with_read l (fun () -> raise Mine));
  raising (fun () -> Rwlock.with_write l (fun () -> raise Mine));
  raising (fun () ->
      Mutex.protect m (fun () ->
          Mutex.unlock m;
          raise Mine));
  ensure "mutex" (Mutex.try_lock m);
  ensure "lock" (Rwlock.try_lock_write l)

(* Every wait times out, and its structure is unchanged. *)
let time_outs () =
  let m = Mutex.create () and l = Rwlock.create () in
  let c = Condition.create () in
  Mutex.lock m;
  Rwlock.lock_read l;
  let elsewhere f () = Domain.join (Domain.spawn f) in
  let all =
    [
      ("lock", elsewhere (fun () -> Mutex.lock ~timeout:0.01 m));
      ("protect", elsewhere (fun () -> Mutex.protect ~timeout:0.01 m ignore));
      ("write", fun () -> Rwlock.with_write ~timeout:0.01 l ignore);
      ("condition", fun () -> Condition.wait ~timeout:0.01 c m);
      ("await", fun () -> Condition.await ~timeout:0.01 c m (fun () -> false));
      ("ivar", fun () -> Ivar.read ~timeout:0.01 (Ivar.create ()));
      ("latch", fun () -> Latch.wait ~timeout:0.01 (Latch.create 1));
      ( "barrier",
        fun () -> ignore (Barrier.wait ~timeout:0.01 (Barrier.create 2) : bool)
      );
    ]
  in
  List.iter (fun (what, f) -> times_out what f) all;
  ensure "locked" (Mutex.is_locked m);
  Mutex.unlock m;
  ensure "no task waits any more" (Rwlock.try_lock_read l);
  run (fun () ->
      Mutex.lock m;
      times_out "in a fiber" (fun () -> Condition.wait ~timeout:0.01 c m);
      Mutex.unlock m)

let permits () =
  let s = Semaphore.create ~max:3 2 in
  let never = [ "~n:4"; "never more than 3 permits" ] in
  raises_text "acquire" never (fun () -> Semaphore.acquire ~n:4 s);
  raises_text "try" never (fun () -> Semaphore.try_acquire ~n:4 s);
  raises_text "event" never (fun () -> Semaphore.acquire_event ~n:4 s);
  raises_text "release" [ "~n:2"; "2 of at most 3 permits are free" ] (fun () ->
      Semaphore.release ~n:2 s);
  raises_text "negative" [ "release ~n:-1" ] (fun () ->
      Semaphore.release ~n:(-1) s);
  raises_text "negative" [ "acquire ~n:-1" ] (fun () ->
      Semaphore.acquire ~n:(-1) s);
  raises_text "create" [ "~max:3: 4 permits" ] (fun () ->
      Semaphore.create ~max:3 4);
  Semaphore.acquire ~n:0 s;
  times_out "three of two" (fun () -> Semaphore.acquire ~timeout:0.001 ~n:3 s);
  equal "nothing was taken or added" 2 (Semaphore.permits s);
  Semaphore.with_permit ~timeout:0. ~n:2 s (fun () ->
      equal "both" 0 (Semaphore.permits s))

(* A timeout of zero is enough for an operation without a wait. *)
let no_time_needed () =
  let m = Mutex.create () and l = Rwlock.create () in
  let s = Semaphore.create 1 and latch = Latch.create 0 in
  let cell = Ivar.full 1 and b = Barrier.create 1 in
  for _ = 1 to 100 do
    Mutex.protect ~timeout:0. m ignore;
    Rwlock.with_read ~timeout:0. l ignore;
    Rwlock.with_write ~timeout:0. l ignore;
    Semaphore.with_permit ~timeout:0. s ignore;
    Latch.wait ~timeout:0. latch;
    ensure "alone" (Barrier.wait ~timeout:0. b);
    equal "full" 1 (Ivar.read ~timeout:0. cell)
  done

let cases =
  [
    Watch.case "unlocking what another holds" unlock_another's;
    Watch.case "unlocking what is free" unlock_free;
    Watch.case "unlocking what was passed on" unlock_passed;
    Watch.case "locking twice" lock_twice;
    Watch.case "owners of a read-write lock" rwlock_owners;
    Watch.case "once only" once_only;
    Watch.case "exceptions release" released_on_exceptions;
    Watch.case "time-outs" time_outs;
    Watch.case "permits" permits;
    Watch.case "no time needed" no_time_needed;
  ]
