(* The bounded queue: refusing, waiting, and leaving during a wait. *)

open Common

(* An occupied worker, and a full queue. *)
let full ?(queue = 3) f =
  runtime ~workers:1 ~queue (fun t ->
      let free = occupy t in
      let queued = List.init queue (fun i -> Runtime.submit t (fun () -> i)) in
      Fun.protect ~finally:free (fun () -> f t queued free))

let refuses () =
  full (fun t queued free ->
      bool "try_submit" true (Runtime.try_submit t ignore = None);
      bool "try_post" false (Runtime.try_post t ignore);
      (match Runtime.submit ~timeout:0.01 t ignore with
      | _ -> Alcotest.fail "accepted"
      | exception Dromos.Timeout -> ());
      (match Runtime.submit ~timeout:0. t ignore with
      | _ -> Alcotest.fail "accepted"
      | exception Dromos.Timeout -> ());
      bool "an event" true
        (Dromos.Event.poll (Runtime.submit_event t ignore) = None);
      free ();
      List.iteri (fun i p -> int "queued" i (Promise.await p)) queued;
      bool "room again" true (Runtime.try_submit t ignore <> None);
      int "refused" 4 (sums "bounds" t).refused)

let waits () =
  full (fun t queued free ->
      let waiters =
        List.init 20 (fun i ->
            let result = Promise.create () in
            let submit () =
              let p = Runtime.submit t (fun () -> i) in
              Promise.resolve result (Promise.await p)
            in
            ignore (Thread.create submit () : Thread.t);
            result)
      in
      Thread.delay 0.02;
      int "nothing more accepted" 4 (Runtime.stats t).accepted;
      free ();
      List.iteri (fun i p -> int "queued" i (Promise.await p)) queued;
      List.iteri (fun i p -> int "waited" i (Promise.await p)) waiters)

(* The room meant for a cancelled waiter goes to the next waiter. *)
let cancelled_waiters () =
  full ~queue:1 (fun t queued free ->
      let ran = Atomic.make 0 in
      let submit () =
        ignore (Runtime.submit t (fun () -> Atomic.incr ran) : unit Promise.t)
      in
      (match
         Dromos.run ~workers:2 (fun () ->
             Dromos.timeout 0.02 (fun () ->
                 Dromos.Scope.run (fun scope ->
                     for _ = 1 to 50 do
                       Dromos.Scope.fork scope submit
                     done);
                 Dromos.check ()))
       with
      | () -> Alcotest.fail "all were accepted"
      | exception Dromos.Timeout -> ());
      free ();
      List.iter (fun p -> ignore (Promise.await p : int)) queued;
      for i = 1 to 10 do
        int "still room" i (Runtime.run t (fun () -> i))
      done;
      Runtime.stop t;
      int "as many ran as were accepted"
        (12 + Atomic.get ran)
        (at_rest "cancelled" t).finished)

(* Submitters that leave at random times, beside workers: no task is lost, and
   the room is the same at the end. *)
let storm () =
  let queue = 4 in
  runtime ~queue (fun t ->
      let accepted = Atomic.make 0 and ran = Atomic.make 0 in
      let rec submit n =
        if n > 0 then begin
          (match
             Runtime.submit
               ~timeout:(float_of_int (n mod 5) *. 0.0001)
               t
               (fun () -> Atomic.incr ran)
           with
          | p ->
              Atomic.incr accepted;
              if n mod 3 = 0 then Promise.await p
          | exception Dromos.Timeout -> ());
          submit (n - 1)
        end
      in
      let threads = List.init 4 (fun _ -> Thread.create submit 2000) in
      List.iter Thread.join threads;
      until "at rest" (fun () -> (Runtime.stats t).queued = 0);
      let free = List.init workers (fun _ -> occupy t) in
      let held = ref 0 in
      while Runtime.try_post t ignore do
        incr held
      done;
      List.iter (fun free -> free ()) free;
      int "room" queue !held;
      Runtime.stop t;
      int "each once" (Atomic.get accepted) (Atomic.get ran);
      let s = at_rest "storm" t in
      int "accepted" (Atomic.get accepted + workers + queue) s.accepted)

(* A task submits to its own runtime and waits, with no room left. *)
let from_inside () =
  runtime ~workers:1 ~queue:1 (fun t ->
      let rec down n =
        if n = 0 then 0 else 1 + Runtime.run t (fun () -> down (n - 1))
      in
      let several =
        List.init 10 (fun _ -> Runtime.submit t (fun () -> down 20))
      in
      List.iter (fun p -> int "depth" 20 (Promise.await p)) several)

let cancel_in_queue () =
  full ~queue:1 (fun t _ free ->
      let told = ref [] in
      bool "full" true
        (Dromos.Event.poll (Runtime.start_event t ignore ignore) = None);
      free ();
      let begun = Latch.create 1 in
      let cancel =
        Dromos.Event.sync
          (Runtime.start_event t
             (fun () ->
               Latch.count_down begun;
               Promise.await (Promise.create ()))
             (fun outcome -> told := [ outcome ]))
      in
      Latch.wait begun;
      let free = occupy t in
      let ran = Atomic.make false in
      let queued =
        Dromos.Event.sync
          (Runtime.start_event t
             (fun () -> Atomic.set ran true)
             (fun outcome -> told := outcome :: !told))
      in
      bool "full" false (Runtime.try_post t ignore);
      bool "cancelled" true (queued ());
      int "told at once" 1 (List.length !told);
      bool "over" false (queued ());
      bool "room at once" true (Runtime.try_post t ignore);
      told := [];
      bool "one that runs" true (cancel ());
      free ();
      Runtime.stop t;
      bool "over" false (cancel ());
      bool "never ran" false (Atomic.get ran);
      (match !told with
      | [ Error (Dromos.Cancelled, _) ] -> ()
      | _ -> Alcotest.fail "not told");
      int "cancelled" 2 (at_rest "cancel" t).cancelled)

let case = Watch.case

let cases =
  [
    case "refuses" refuses;
    case "waits" waits;
    case "waiters are cancelled" cancelled_waiters;
    case "storm" storm;
    case "from inside" from_inside;
    case "tasks are cancelled" cancel_in_queue;
  ]
