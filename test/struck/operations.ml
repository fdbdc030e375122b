open Dromos

type count = { mutable fine : int; mutable over : int }

(* {1 The operations}

   An operation's function makes the structure, and returns the operation and a
   check for later. *)

let check_int what = Watch.check Alcotest.int what

let between what low n high =
  if n < low || n > high then
    Alcotest.failf "%s: %d, expected %d to %d" what n low high

let plain op () = (op, fun (_ : count) -> op ())

let ops : (string * (unit -> (unit -> unit) * (count -> unit))) list ref =
  ref []

let case name make = ops := (name, make) :: !ops
let ignore_int (_ : int) = ()

let () =
  case "both" (plain (fun () -> ignore (both ignore ignore)));
  case "both, yielding" (plain (fun () -> ignore (both yield yield)));
  case "all" (plain (fun () -> ignore (all [ ignore; yield; ignore ])));
  case "yield" (plain yield);
  case "check" (plain check);
  case "protect" (plain (fun () -> protect yield));
  case "sleep" (plain (fun () -> sleep 0.));
  case "timeout" (plain (fun () -> timeout 10. yield));
  case "async, await" (plain (fun () -> await (async ignore)));
  case "async that waits" (plain (fun () -> await (async yield)));
  case "async" (fun () ->
      let promises = ref [] in
      ( (fun () ->
          let p = async ignore in
          promises := p :: !promises),
        fun count ->
          check_int "promises" count.fine (List.length !promises);
          List.iter await !promises ));
  case "await" (fun () ->
      let promises = ref (List.init 4000 (fun _ -> async ignore)) in
      ( (fun () ->
          match !promises with
          | [] -> ()
          | p :: rest ->
              await p;
              promises := rest),
        fun _ -> List.iter await !promises ));
  case "Scope.run" (plain (fun () -> Scope.run ignore));
  case "Scope.fork" (fun () ->
      let ran = Atomic.make 0 in
      let tried = ref 0 in
      ( (fun () ->
          incr tried;
          Scope.run (fun s ->
              Scope.fork s (fun () -> Atomic.incr ran);
              Scope.fork s yield)),
        fun count -> between "tasks" count.fine (Atomic.get ran) !tried ));
  case "Scope.async"
    (plain (fun () -> Scope.run (fun s -> await (Scope.async s yield))));
  case "Scope.cancel"
    (plain (fun () ->
         match
           Scope.run (fun s ->
               Scope.fork s (fun () -> sleep 10.);
               Scope.cancel s)
         with
         | () -> ()));
  case "any" (plain (fun () -> any [ ignore; yield ]));
  case "race" (plain (fun () -> race [ ignore; yield ]));
  case "first"
    (plain (fun () -> ignore (first [ (fun () -> Some 1); (fun () -> None) ])));
  case "Tasks.map"
    (plain (fun () -> ignore (Tasks.map ~max:2 succ [ 1; 2; 3 ])));
  case "Par.for_" (plain (fun () -> Par.for_ 0 50 ignore));
  case "Par.List.map" (plain (fun () -> ignore (Par.List.map succ [ 1; 2; 3 ])));
  case "Par.Array.sort"
    (plain (fun () -> ignore (Par.Array.map succ [| 3; 1; 2 |])));
  case "Fls" (fun () ->
      let key = Fls.new_key () in
      let op () = Fls.let_ key 1 yield in
      (op, fun _ -> op ()));
  case "blocking" (plain (fun () -> blocking ignore));
  case "Strand" (fun () ->
      let strand = Strand.create () in
      let n = ref 0 in
      let op () = Strand.run strand (fun () -> incr n) in
      ( op,
        fun count ->
          between "functions" count.fine !n 10_000;
          op () ));
  case "Worker_local" (fun () ->
      let w = Worker_local.create (fun () -> ref 0) in
      let op () = Worker_local.use w incr in
      (op, fun _ -> op ()));
  case "Pipeline"
    (plain (fun () ->
         Pipeline.(
           iter ~tokens:4 ignore_int
             (parallel succ (from (List.to_seq [ 1; 2; 3 ]))))));
  case "Dag"
    (plain (fun () ->
         let g = Dag.create () in
         let a = Dag.vertex g ignore and b = Dag.vertex g yield in
         Dag.precede a b;
         Dag.run g))

(* {1 Structures} *)

let drained try_recv =
  let rec go n = match try_recv () with Some () -> go (n + 1) | None -> n in
  go 0

let () =
  case "Channel.send" (fun () ->
      let c = Channel.create ~capacity:10_000 () in
      ( (fun () -> Channel.send c ()),
        fun count ->
          between "messages" count.fine
            (drained (fun () -> Channel.try_recv c))
            (count.fine + count.over) ));
  case "Channel.recv" (fun () ->
      let c = Channel.create ~capacity:10_000 () in
      for _ = 1 to 9_000 do
        Channel.send c ()
      done;
      ( (fun () -> Channel.recv c),
        fun count ->
          check_int "messages left" (9_000 - count.fine)
            (drained (fun () -> Channel.try_recv c)) ));
  case "Channel, rendezvous" (fun () ->
      let c = Channel.create () and got = ref 0 in
      let scope =
        async (fun () ->
            try
              while true do
                Channel.recv c;
                incr got
              done
            with Channel.Closed -> ())
      in
      ( (fun () -> Channel.send c ()),
        fun count ->
          Channel.close c;
          await scope;
          between "messages" count.fine !got (count.fine + count.over) ));
  case "Channel, waiting receiver" (fun () ->
      let c = Channel.create () and sent = ref 0 in
      let scope =
        async (fun () ->
            try
              while true do
                Channel.send c ();
                incr sent
              done
            with Channel.Closed -> ())
      in
      ( (fun () -> Channel.recv c),
        fun count ->
          Channel.close c;
          await scope;
          between "messages" count.fine !sent (count.fine + 1) ));
  case "Stream" (fun () ->
      let s = Stream.create max_int in
      let op () =
        Stream.add s ();
        Stream.take s
      in
      ( op,
        fun count ->
          (* An item stays where the take after its add overflowed. *)
          between "items left" 0
            (drained (fun () -> Stream.try_take s))
            count.over;
          op ();
          check_int "items" 0 (Stream.length s) ));
  case "Broadcast.unsubscribe" (fun () ->
      let b = Broadcast.create 2 in
      let op () =
        let s = Broadcast.subscribe b in
        Fun.protect ignore ~finally:(fun () -> Broadcast.unsubscribe s)
      in
      ( (fun () -> op ()),
        fun _ -> check_int "subscribers" 0 (Broadcast.subscribers b) ));
  case "Mvar" (fun () ->
      let m = Mvar.of_value 0 in
      let op () = Mvar.update m succ in
      ( op,
        fun count ->
          check_int "updates" count.fine (Mvar.take m);
          Mvar.put m 1;
          op () ));
  case "Ivar"
    (plain (fun () ->
         let i = Ivar.create () in
         Ivar.fill i ();
         Ivar.read i));
  case "Ivar, filled by another fiber"
    (plain (fun () ->
         let i = Ivar.create () in
         let p = async (fun () -> Ivar.fill i ()) in
         Ivar.read i;
         await p));
  case "Lazy" (fun () ->
      let l = ref (Lazy.from_fun ignore) in
      ( (fun () ->
          Lazy.force !l;
          l := Lazy.from_fun ignore),
        fun _ ->
          l := Lazy.from_fun ignore;
          Lazy.force !l ));
  case "Mutex.protect" (fun () ->
      let m = Mutex.create () in
      let op () = Mutex.protect m yield in
      ( op,
        fun _ ->
          Watch.check Alcotest.bool "locked" false (Mutex.is_locked m);
          op () ));
  case "Mutex, contended" (fun () ->
      let m = Mutex.create () and over = ref false in
      let other =
        async (fun () ->
            while not !over do
              Mutex.protect m yield;
              yield ()
            done)
      in
      ( (fun () -> Mutex.protect m yield),
        fun _ ->
          over := true;
          await other;
          Watch.check Alcotest.bool "locked" false (Mutex.is_locked m) ));
  case "Condition" (fun () ->
      let m = Mutex.create ()
      and c = Condition.create ()
      and over = ref false in
      let other =
        async (fun () ->
            while not !over do
              Condition.broadcast c;
              yield ()
            done)
      in
      ( (fun () -> Mutex.protect m (fun () -> Condition.wait c m)),
        fun _ ->
          over := true;
          await other;
          Watch.check Alcotest.bool "locked" false (Mutex.is_locked m) ));
  case "Rwlock" (fun () ->
      let l = Rwlock.create () in
      let op () =
        Rwlock.with_read l yield;
        Rwlock.with_write l yield
      in
      ( op,
        fun _ ->
          check_int "readers" 0 (Rwlock.readers l);
          op () ));
  case "Semaphore" (fun () ->
      let s = Semaphore.create 1 in
      let op () = Semaphore.with_permit s yield in
      ( op,
        fun _ ->
          check_int "permits" 1 (Semaphore.permits s);
          op () ));
  case "Barrier" (fun () ->
      let b = Barrier.create 1 in
      let op () = ignore (Barrier.wait b : bool) in
      ( op,
        fun _ ->
          check_int "arrived" 0 (Barrier.arrived b);
          op () ));
  case "Latch"
    (plain (fun () ->
         let l = Latch.create 1 in
         Latch.count_down l;
         Latch.wait l));
  case "Broadcast" (fun () ->
      let b = Broadcast.create 16 in
      let op () =
        Broadcast.with_subscription b (fun s ->
            Broadcast.publish b ();
            Broadcast.receive s)
      in
      ( op,
        fun _ ->
          check_int "subscribers" 0 (Broadcast.subscribers b);
          op () ));
  case "Broadcast.receive" (fun () ->
      let b = Broadcast.create 10_000 in
      let s = Broadcast.subscribe b in
      for _ = 1 to 9_000 do
        Broadcast.publish b ()
      done;
      ( (fun () -> Broadcast.receive s),
        fun count ->
          check_int "messages left" (9_000 - count.fine)
            (drained (fun () -> Broadcast.try_receive s)) ));
  case "Broadcast, dropped subscriptions" (fun () ->
      let b = Broadcast.create 2 in
      ( (fun () -> ignore (Broadcast.subscribe b : unit Broadcast.subscription)),
        fun _ ->
          for _ = 1 to 5 do
            Gc.full_major ();
            yield ()
          done;
          between "subscribers" 0 (Broadcast.subscribers b) 1 ));
  case "Resource_pool" (fun () ->
      let made = ref 0 in
      let p =
        let make () =
          incr made;
          !made
        in
        Resource_pool.create ~max:2 ~make ~dispose:ignore_int ()
      in
      let op () = Resource_pool.use p ignore_int in
      ( op,
        fun _ ->
          op ();
          Resource_pool.use p (fun _ -> op ()) ));
  case "Event" (fun () ->
      let c = Channel.create ~capacity:1 () in
      let op () =
        Event.select [ Channel.send_event c (); Channel.recv_event c ]
      in
      ( op,
        fun _ ->
          between "messages" 0 (Channel.length c) 1;
          op () ));
  case "Event that waits"
    (plain (fun () ->
         let c = Channel.create () in
         let p = async (fun () -> Channel.send c ()) in
         Event.select [ Channel.recv_event c; Event.never ];
         await p));
  case "Event.timeout" (plain (fun () -> Event.sync (Event.timeout 0.)));
  case "Promise"
    (plain (fun () ->
         let p = Promise.create () in
         Promise.resolve p ();
         await p));
  case "Promise, resolved by another fiber"
    (plain (fun () ->
         let p = Promise.create () in
         let q = async (fun () -> Promise.resolve p ()) in
         await p;
         await q))

(* {1 Descriptors, runtimes, schedulers} *)

let () =
  case "Io" (fun () ->
      let out_, in_ = Unix.pipe ~cloexec:true () in
      let b = Bytes.make 1 ' ' in
      ( (fun () ->
          Io.write_string in_ "x";
          ignore_int (Io.read out_ b 0 1)),
        fun count ->
          (* A byte stays where the read after its write overflowed. *)
          Io.write_string in_ "y";
          while
            ignore_int (Io.read out_ b 0 1);
            Bytes.get b 0 <> 'y'
          do
            ()
          done;
          ignore (count : count);
          Unix.close in_;
          Unix.close out_ ));
  case "Io that waits"
    (plain (fun () ->
         let out_, in_ = Unix.pipe ~cloexec:true () in
         Fun.protect
           (fun () ->
             match Io.await_readable ~timeout:0.0001 out_ with
             | () -> Alcotest.fail "readable"
             | exception Timeout -> ())
           ~finally:(fun () ->
             Unix.close in_;
             Unix.close out_)));
  case "Runtime.submit" (fun () ->
      let r = Runtime.create ~workers:1 () in
      let n = Atomic.make 0 in
      ( (fun () -> await (Runtime.submit r (fun () -> Atomic.incr n))),
        fun count ->
          Runtime.run r ignore;
          Runtime.stop r;
          between "tasks" count.fine (Atomic.get n) (count.fine + count.over) ));
  case "Promise.all"
    (plain (fun () ->
         let p = Promise.create () and q = Promise.create () in
         let both = Promise.all [ Promise.map succ p; q ] in
         Promise.resolve p 1;
         Promise.resolve q 2;
         ignore (await both : int list)));
  case "Strand.async" (fun () ->
      let strand = Strand.create () in
      let n = ref 0 in
      ( (fun () -> await (Strand.async strand (fun () -> incr n))),
        fun count ->
          Strand.run strand ignore;
          between "functions" count.fine !n (count.fine + count.over) ));
  case "Strand.Keyed" (fun () ->
      let strands = Strand.Keyed.create () in
      ( (fun () -> Strand.Keyed.run strands 1 yield),
        fun _ -> check_int "strands" 0 (Strand.Keyed.length strands) ));
  case "Priority"
    (plain (fun () ->
         Sched.Priority.run (fun p -> Sched.Priority.spawn p ~priority:1 yield)));
  case "Stealing"
    (plain (fun () -> Sched.Stealing.run (fun () -> Sched.Stealing.spawn yield)));
  case "Gang"
    (plain (fun () ->
         Sched.Gang.run (fun () -> ignore (Sched.Gang.both ignore yield))));
  case "Cancelable"
    (plain (fun () ->
         Sched.Cancelable.(
           let c = make () in
           wrap c ignore ();
           cancel c)))

let all = List.rev !ops
