(* Finished waits leave nothing in memory. *)

open Dromos_sync
open Places

let million = 1_000_000
let some = 200_000

let live () =
  Gc.full_major ();
  (Gc.stat ()).live_words

(* The last sweep of a queue may have left cells; as many cells again, and 16,
   may have come since. *)
let allowed = 2_000

let leaves_nothing what times structure wait =
  Watch.case what (fun () ->
      for _ = 1 to 100 do
        wait ()
      done;
      let before = live () in
      for _ = 1 to times do
        wait ()
      done;
      let more = live () - before in
      Printf.printf "%d words more after %d waits\n" more times;
      if more > allowed then fail "%d words more" more;
      ignore (Sys.opaque_identity structure))

let cancel event () = ensure "cancelled" (Author.Event.start event ignore ())

let mutex =
  let m = Mutex.create () in
  leaves_nothing "mutex" million m (fun () ->
      if not (Mutex.is_locked m) then Mutex.lock m;
      cancel (Mutex.lock_event m) ())

(* A further task still waits in the queue. *)
let semaphore =
  let s = Semaphore.create 0 in
  ignore (Author.Event.start (Semaphore.acquire_event s) ignore : unit -> bool);
  leaves_nothing "semaphore" some s (cancel (Semaphore.acquire_event s))

let rwlock =
  let l = Rwlock.create () in
  let first = ref true in
  leaves_nothing "read-write lock" some l (fun () ->
      if !first then Rwlock.lock_write l;
      first := false;
      cancel (Rwlock.lock_read_event l) ();
      cancel (Rwlock.lock_write_event l) ())

let condition =
  let m = Mutex.create () and c = Condition.create () in
  leaves_nothing "condition" some c (fun () ->
      Mutex.protect m (fun () ->
          match Condition.wait ~timeout:0. c m with
          | () -> fail "no task signalled"
          | exception Event.Timeout -> ()))

let barrier =
  let b = Barrier.create 2 in
  leaves_nothing "barrier" some b (fun () ->
      times_out "no task came" (fun () -> Barrier.wait ~timeout:0. b))

let ivar =
  let cell : int Ivar.t = Ivar.create () and latch = Latch.create 1 in
  leaves_nothing "ivar and latch" some (cell, latch) (fun () ->
      cancel (Ivar.read_event cell) ();
      cancel (Latch.wait_event latch) ())

(* Fibers with real waits. The weak registry of waiting fibers keeps a word or
   two for each between its sweeps; a cell that stays would be fifteen words. *)
let fibers =
  Watch.case "cancelled fibers" (fun () ->
      let m = Mutex.create () and c = Condition.create () in
      let l = Rwlock.create () in
      let waits =
        [
          (fun () -> Mutex.lock m);
          (fun () -> Mutex.lock ~timeout:1000. m);
          (fun () -> Rwlock.lock_read l);
          (fun () -> Rwlock.lock_write l);
          (fun () ->
            let own = Mutex.create () in
            Mutex.protect own (fun () -> Condition.wait c own));
        ]
      in
      let round () =
        match
          Dromos.Scope.run (fun s ->
              for _ = 1 to 20 do
                List.iter (Dromos.Scope.fork s) waits
              done;
              Dromos.yield ();
              Dromos.yield ();
              Dromos.Scope.cancel s)
        with
        | () | (exception Dromos.Cancelled) -> ()
      in
      Dromos.run ~workers:1 (fun () ->
          Mutex.lock m;
          Rwlock.lock_write l;
          for _ = 1 to 20 do
            round ()
          done;
          let before = live () in
          for _ = 1 to 200 do
            round ()
          done;
          let more = live () - before in
          Printf.printf "%d words more after 20000 waits\n" more;
          if more > 60_000 then fail "%d words more" more;
          Mutex.unlock m;
          Rwlock.unlock_write l);
      ensure "free" (Mutex.try_lock m && Rwlock.try_lock_write l))

let cases = [ mutex; semaphore; rwlock; condition; barrier; ivar; fibers ]
