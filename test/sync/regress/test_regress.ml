(* A case for each fault; the comment describes the fault. *)

open Dromos_sync

let int = Watch.check Alcotest.int
let case name f = Watch.case ~limit:30. name f

(* A zero timeout was one branch of a fair choice, so every second attempt
   failed on a free lock. *)
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

(* The count wrapped round, and then no task got a permit any more. *)
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
  let check = Watch.check Alcotest.string in
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

(* The names were those of the compiled units. *)
let named () =
  let check name e =
    Watch.check Alcotest.string "name" name (Printexc.to_string e)
  in
  check "Dromos.Timeout" Event.Timeout;
  check "Dromos.Channel.Closed" Channel.Closed;
  check "Dromos.Channel.Closed" Stream.Closed;
  check "Dromos.Resource_pool.Closed" Resource_pool.Closed

(* Every leaving waiter, and then every lock and unlock, walked past all waiters
   that had left before. *)
let crowd_that_leaves () =
  let n = 50_000 in
  let l = Rwlock.create () in
  let start = Unix.gettimeofday () in
  let crowd () =
    List.init n (fun _ -> Author.Event.start (Rwlock.lock_write_event l) ignore)
  in
  Rwlock.lock_read l;
  let leave = crowd () in
  let behind = Author.Event.start (Rwlock.lock_write_event l) ignore in
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

(* A sender replaced the queue by an equal queue for ever, if the first entry was
   a branch of its own choice, or of a choice still registering, and the entries
   behind were not in order. *)
let to_oneself () =
  let channel = Channel.create () in
  let recv () = Channel.recv_event channel
  and send = Channel.send_event channel in
  let sum = ref 0 in
  let received v =
    sum := !sum + v;
    "received"
  in
  let branches v =
    List.map
      (fun recv -> Event.wrap recv received)
      [ recv (); recv (); recv () ]
    @ [ Event.wrap (send v) (fun () -> "sent") ]
  in
  let outcomes = ref [] in
  let note f =
    let outcome = f () in
    outcomes := outcome :: !outcomes
  in
  let leave = Author.Event.start (Event.choose (branches 1)) note in
  Watch.check Alcotest.(list string) "no task except itself" [] !outcomes;
  note (fun () -> Event.select (branches 10));
  ignore (leave () : bool);
  Watch.check
    Alcotest.(list string)
    "they met" [ "received"; "sent" ]
    (List.sort compare !outcomes);
  if !sum <> 1 && !sum <> 10 then Alcotest.failf "the sum is %d" !sum

(* The fault of [to_oneself] in semaphores: several releases, and choices with
   several branches on one semaphore. *)
let of_oneself () =
  let s = Semaphore.create 0 in
  let decided = ref 0 in
  let start () =
    Author.Event.start
      (Event.choose (List.init 4 (fun _ -> Semaphore.acquire_event s)))
      (fun outcome ->
        outcome ();
        incr decided)
  in
  let leave = List.init 3 (fun _ -> start ()) in
  for _ = 1 to 3 do
    Semaphore.release s
  done;
  List.iter (fun leave -> ignore (leave () : bool)) leave;
  int "decided" 3 !decided;
  int "permits" 0 (Semaphore.permits s)

(* The sender used the channel again, as a receiver or with further messages,
   while it was being told of its send; the channel then kept the message,
   although it had been received. *)
let let_go_of () =
  let start event f = ignore (Author.Event.start event f : unit -> bool) in
  let sends ?(behind = []) ~meanwhile () =
    let channel = Channel.create () in
    let send n f = start (Channel.send_event channel (Bytes.make n 'x')) f in
    let message = Weak.create 1 in
    let send_it () =
      let text = Bytes.make 100 'x' in
      Weak.set message 0 (Some text);
      start (Channel.send_event channel text) (fun _ -> meanwhile channel send)
    in
    let receive n =
      let got = Channel.try_recv channel in
      int "received" n (Option.fold ~none:0 ~some:Bytes.length got)
    in
    List.iter (fun n -> send n ignore) behind;
    send_it ();
    List.iter receive behind;
    receive 100;
    Gc.full_major ();
    Watch.check Alcotest.bool "kept" false (Weak.check message 0);
    (channel, receive)
  in
  let channel, _ =
    sends () ~meanwhile:(fun channel _ ->
        start (Channel.recv_event channel) ignore)
  in
  Channel.close channel;
  (* The message was last in the queue, and is no more. *)
  let _, receive =
    sends () ~behind:[ 1 ] ~meanwhile:(fun _ send ->
        send 2 ignore;
        send 3 ignore)
  in
  List.iter receive [ 2; 3; 0 ]

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
              case "the names of exceptions" named;
              case "a crowd leaves a read-write lock" crowd_that_leaves;
              case "a choice among both ends of a channel" to_oneself;
              case "choices among the same lock" of_oneself;
              case "received messages are not kept" let_go_of;
            ] );
        ])
