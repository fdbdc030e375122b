(* One case for each fault; the text says what went wrong. *)

open Dromos_sync

let int = Alcotest.(check int)
let case name f = Watch.case ~limit:30. name f

(* A timeout that is over was one branch of a fair choice, so that every other
   lock that was free was not taken. *)
let no_time_at_all () =
  let late = ref 0 in
  let attempt f = try f () with Event.Timeout -> incr late in
  for _ = 1 to 100 do
    let s = Semaphore.create 1 in
    attempt (fun () -> Semaphore.acquire ~timeout:0. s);
    attempt (fun () ->
        Semaphore.with_permit ~timeout:0. (Semaphore.create 1) ignore);
    attempt (fun () -> Latch.wait ~timeout:(-1.) (Latch.create 0));
    attempt (fun () -> Mutex.lock ~timeout:0. (Mutex.create ()));
    attempt (fun () -> Rwlock.lock_write ~timeout:0. (Rwlock.create ()));
    attempt (fun () -> Ivar.read ~timeout:0. (Ivar.full ()));
    attempt (fun () -> Mvar.take ~timeout:0. (Mvar.of_value ()));
    attempt (fun () ->
        Channel.send ~timeout:0. (Channel.create ~capacity:1 ()) ())
  done;
  int "time-outs of what was possible" 0 !late;
  let raises name f =
    match f () with
    | () -> Alcotest.fail (name ^ " did not time out")
    | exception Event.Timeout -> ()
  in
  raises "acquire" (fun () ->
      Semaphore.acquire ~timeout:0. (Semaphore.create 0));
  raises "wait" (fun () -> Latch.wait ~timeout:0. (Latch.create 1))

(* The count wrapped round, and then nobody got a permit any more. *)
let too_many_permits () =
  let s = Semaphore.create max_int in
  (match Semaphore.release s with
  | () -> Alcotest.fail "released"
  | exception Invalid_argument _ -> ());
  int "permits" max_int (Semaphore.permits s);
  Semaphore.acquire ~timeout:0. s

(* The exception of the function was hidden behind a [Fun.Finally_raised]. *)
let released_and_raised () =
  let said f =
    match f () with () -> "nothing" | exception e -> Printexc.to_string e
  in
  let l = Rwlock.create () in
  let mine = "Failure(\"mine\")" in
  let check = Alcotest.(check string) in
  check "read" mine
    (said (fun () ->
         Rwlock.with_read l (fun () ->
             Rwlock.unlock_read l;
             failwith "mine")));
  check "write" mine
    (said (fun () ->
         Rwlock.with_write l (fun () ->
             Rwlock.unlock_write l;
             failwith "mine")));
  match Rwlock.with_read l (fun () -> Rwlock.unlock_read l) with
  | () -> Alcotest.fail "nothing said"
  | exception Invalid_argument text ->
      let call = "Rwlock.with_read" in
      check "the call" call (String.sub text 0 (String.length call))

(* Everybody who left, and then everybody who locked or unlocked, walked past all
   who had left before. *)
let crowd_that_leaves () =
  let n = 50_000 in
  let l = Rwlock.create () in
  let start = Unix.gettimeofday () in
  let crowd () =
    List.init n (fun _ -> Event.start (Rwlock.lock_write_event l) ignore)
  in
  Rwlock.lock_read l;
  let leave = crowd () in
  let behind = Event.start (Rwlock.lock_write_event l) ignore in
  List.iter (fun leave -> ignore (leave () : bool)) leave;
  for _ = 1 to n do
    ignore (Rwlock.try_lock_read l : bool)
  done;
  ignore (behind () : bool);
  for _ = 1 to n do
    Rwlock.lock_read l;
    Rwlock.unlock_read l
  done;
  Rwlock.unlock_read l;
  let took = Unix.gettimeofday () -. start in
  if took > 10. then Alcotest.fail (Printf.sprintf "%.1f s" took)

let () =
  Watch.suite "sync regress" (fun () ->
      Alcotest.run ~and_exit:false "sync regress"
        [
          ( "faults",
            [
              case "a timeout of 0 takes what is there" no_time_at_all;
              case "max_int permits" too_many_permits;
              case "with_read, with_write: the function's own exception"
                released_and_raised;
              case "a crowd leaves a read-write lock" crowd_that_leaves;
            ] );
        ])
