module Sched = Dromos.Sched
module Rr = Sched.Round_robin
module Preemption = Sched.Preemption

let quantum = 0.001

(* No allocation, no call. *)
let compute n =
  let x = ref 0 in
  for i = 1 to n do
    x := !x lxor (i * 3)
  done;
  ignore (Sys.opaque_identity !x)

let until ?(seconds = 30.) test =
  let late = Unix.gettimeofday () +. seconds in
  while (not (test ())) && Unix.gettimeofday () < late do
    compute 1000
  done;
  Watch.check Alcotest.bool "in time" true (test ())

let preempted ?(workers = 1) ?(mode = Preemption.Forced) f =
  Dromos.run ~workers (fun () ->
      Rr.run (fun () -> Preemption.run ~quantum ~mode f))

(* Each fiber waits for the other without ever giving way. *)
let hostile workers () =
  let turn = Atomic.make 0 in
  preempted ~workers (fun () ->
      Dromos.Scope.run (fun _ ->
          for me = 0 to 3 do
            Rr.spawn (fun () ->
                for round = 0 to 4 do
                  until (fun () -> Atomic.get turn = (4 * round) + me);
                  Atomic.incr turn
                done)
          done);
      if workers = 1 then
        Watch.check Alcotest.bool "by force" true
          ((Preemption.counts ()).preemptions > 0));
  Watch.check Alcotest.int "turns" 20 (Atomic.get turn)

(* [hostile] for tasks of a plain run, without a scheduler of the program. *)
let at_the_root () =
  let turn = Atomic.make 0 in
  Dromos.run ~workers:1 (fun () ->
      Preemption.run ~quantum (fun () ->
          Dromos.Scope.run (fun scope ->
              for me = 0 to 2 do
                Dromos.Scope.fork scope (fun () ->
                    for round = 0 to 4 do
                      until (fun () -> Atomic.get turn = (3 * round) + me);
                      Atomic.incr turn
                    done)
              done)));
  Watch.check Alcotest.int "turns" 15 (Atomic.get turn)

let polled () =
  let turn = Atomic.make 0 in
  preempted ~mode:Preemption.Polled (fun () ->
      Dromos.Scope.run (fun _ ->
          for me = 0 to 1 do
            Rr.spawn (fun () ->
                for round = 0 to 4 do
                  while Atomic.get turn <> (2 * round) + me do
                    compute 1000;
                    Dromos.check ()
                  done;
                  Atomic.incr turn
                done)
          done);
      let { Preemption.preemptions; _ } = Preemption.counts () in
      Watch.check Alcotest.int "none by force" 0 preemptions);
  Watch.check Alcotest.int "turns" 10 (Atomic.get turn)

let masked () =
  let inside = Atomic.make false and seen = Atomic.make 0 in
  preempted (fun () ->
      Dromos.Scope.run (fun _ ->
          Rr.spawn (fun () ->
              for _ = 1 to 5 do
                Preemption.mask (fun () ->
                    Atomic.set inside true;
                    compute 5_000_000;
                    Atomic.set inside false);
                compute 5_000_000
              done);
          Rr.spawn (fun () ->
              for _ = 1 to 10_000 do
                if Atomic.get inside then Atomic.incr seen;
                compute 5000
              done)));
  Watch.check Alcotest.int "never seen inside" 0 (Atomic.get seen)

exception Here of int

let rec deep n = if n = 0 then raise (Here 7) else 1 + deep (n - 1)

let raising () =
  let before = Printexc.backtrace_status () in
  Printexc.record_backtrace true;
  (match
     preempted (fun () ->
         Rr.spawn (fun () ->
             compute 20_000_000;
             ignore (deep 5));
         Rr.spawn (fun () -> compute 20_000_000))
   with
  | () -> Alcotest.fail "raised"
  | exception Here 7 ->
      let text = Printexc.get_backtrace () in
      Watch.check Alcotest.bool "backtrace" true
        (Said.contains text "test_preempt.ml"));
  Printexc.record_backtrace before

(* A preempted fiber notices the cancellation at its next cancellation point. *)
let cancelled () =
  let went_on = Atomic.make false and clean = Atomic.make false in
  match
    preempted (fun () ->
        Dromos.timeout 0.02 (fun () ->
            Rr.spawn (fun () ->
                Fun.protect
                  ~finally:(fun () -> Atomic.set clean true)
                  (fun () ->
                    while true do
                      compute 100_000;
                      Dromos.check ()
                    done;
                    Atomic.set went_on true))))
  with
  | () -> Alcotest.fail "timed out"
  | exception Dromos.Timeout ->
      Watch.check Alcotest.bool "cleaned up" true (Atomic.get clean);
      Watch.check Alcotest.bool "stopped" false (Atomic.get went_on)

(* The code has no cancellation point. *)
let interrupted others () =
  let begun = Atomic.make 0 and clean = Atomic.make 0 in
  match
    preempted (fun () ->
        Dromos.timeout 0.02 (fun () ->
            for _ = 0 to others do
              Rr.spawn (fun () ->
                  Atomic.incr begun;
                  Fun.protect
                    ~finally:(fun () -> Atomic.incr clean)
                    (fun () ->
                      Preemption.interruptible (fun () ->
                          while true do
                            compute 100_000
                          done)))
            done))
  with
  | () -> Alcotest.fail "timed out"
  | exception Dromos.Timeout ->
      Watch.check Alcotest.int "cleaned up" (Atomic.get begun)
        (Atomic.get clean)

let storm workers () =
  let chance = Random.State.split Watch.chance in
  let sum = Atomic.make 0 and expected = ref 0 in
  let mutex = Dromos.Mutex.create () and shared = ref 0 in
  let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) in
  let rec pfib n =
    if n < 12 then fib n
    else
      let a, b =
        Dromos.both (fun () -> pfib (n - 1)) (fun () -> pfib (n - 2))
      in
      a + b
  in
  let work kind =
    match kind with
    | 0 -> compute 3_000_000
    | 1 -> ignore (pfib 22)
    | 2 ->
        Dromos.Mutex.protect mutex (fun () ->
            let v = !shared in
            compute 300_000;
            shared := v + 1)
    | 3 -> Dromos.sleep 0.001
    | 4 -> (
        try Dromos.timeout 0.002 (fun () -> ignore (pfib 24))
        with Dromos.Timeout -> ())
    | 5 -> ignore (Dromos.await (Dromos.async (fun () -> pfib 18)))
    | 6 ->
        let a = Array.init 2000 (fun i -> i * 7919 mod 2000) in
        Dromos.Par.Array.sort compare a |> ignore
    | _ -> ( try raise (Here kind) with Here _ -> Sched.yield ())
  in
  preempted ~workers (fun () ->
      Dromos.Scope.run (fun _ ->
          for _ = 1 to 24 do
            let kinds = List.init 8 (fun _ -> Random.State.int chance 8) in
            List.iter (fun kind -> if kind = 2 then incr expected) kinds;
            Rr.spawn (fun () ->
                List.iter work kinds;
                Atomic.incr sum)
          done));
  Watch.check Alcotest.int "all ended" 24 (Atomic.get sum);
  Watch.check Alcotest.int "locked" !expected !shared

(* More computing fibers than a worker may hold preempted: the fibers end, one
   after the other, and the excess is counted. *)
let beyond_the_bound () =
  let most = Preemption.most () in
  let over = Atomic.make 0 and n = 24 in
  Preemption.set_most 4;
  Fun.protect ~finally:(fun () -> Preemption.set_most most) @@ fun () ->
  let run text =
    preempted (fun () ->
        Dromos.Scope.run (fun _ ->
            for _ = 1 to n do
              Rr.spawn (fun () ->
                  compute 4_000_000;
                  Atomic.incr over)
            done);
        let { Preemption.threads; refused; _ } = Preemption.counts () in
        Watch.check Alcotest.bool "bounded" true (threads <= 5);
        Watch.check Alcotest.bool "counted" true (refused > 0);
        until (fun () -> Said.contains (text ()) "The bound is 4"))
  in
  ignore (Said.on_stderr run : string);
  Watch.check Alcotest.int "all ended" n (Atomic.get over)

(* Computations without an end, and a timer to end them. *)
let endless workers n () =
  let stop = Atomic.make false and ended = Atomic.make 0 in
  preempted ~workers (fun () ->
      Dromos.Scope.run (fun _ ->
          for _ = 1 to n do
            Rr.spawn (fun () ->
                while not (Atomic.get stop) do
                  compute 1000
                done;
                Atomic.incr ended)
          done;
          Dromos.sleep 0.01;
          Atomic.set stop true);
      Watch.check Alcotest.int "none refused" 0 (Preemption.counts ()).refused);
  Watch.check Alcotest.int "all ended" n (Atomic.get ended)

(* A fiber preempted on one vproc is held by a scheduler on another vproc, and
   the scheduler is cancelled: the fiber is sent home nevertheless, and ends. *)
let sent_home () =
  let caught = Dromos.Promise.create () in
  let ended = Atomic.make false in
  let spin () =
    until (fun () -> Dromos.Promise.is_resolved caught);
    Atomic.set ended true
  in
  let rec catch = function
    | Sched.Stop -> Sched.stop
    | Preempt k when Sched.home k = None -> Sched.run (catching ()) k
    | Preempt k ->
        ignore (Dromos.Promise.try_resolve caught (Ok k) : bool);
        Sched.stop
  and catching () = Sched.action ~name:"catching" catch in
  let nothing = Sched.action ~name:"cancelled" (fun _ -> Sched.stop) in
  Dromos.run ~workers:2 (fun () ->
      let here = List.hd (Sched.Vproc.all ())
      and there = List.nth (Sched.Vproc.all ()) 1 in
      Preemption.run ~quantum (fun () ->
          Dromos.Scope.run (fun _ ->
              let k = Sched.fiber spin in
              Sched.Vproc.enq_on here
                (Sched.scheduler (fun () -> Sched.run (catching ()) k));
              let k = Dromos.await caught in
              Watch.check Alcotest.(option int) "home" (Some 0) (Sched.home k);
              Dromos.Scope.run (fun scope ->
                  Sched.Vproc.enq_on there
                    (Sched.scheduler (fun () ->
                         Dromos.Scope.cancel scope;
                         Sched.run nothing k))))));
  Watch.check Alcotest.bool "ended" true (Atomic.get ended)

(* A scheduler hands its fiber to the scheduler below, and computes at the
   end. *)
let at_the_end () =
  let ended = ref false in
  let ends () =
    let late = Unix.gettimeofday () +. 0.03 in
    while Unix.gettimeofday () < late do
      compute 1000
    done
  in
  preempted (fun () ->
      Dromos.Scope.run (fun _ ->
          let k =
            Sched.fiber (fun () ->
                Sched.yield ();
                ended := true)
          in
          let gives_up = Sched.action ~name:"gives up" Sched.forward in
          Sched.Vproc.enq
            (Sched.scheduler ~ends (fun () -> Sched.run gives_up k))));
  Watch.check Alcotest.bool "ended" true !ended

let nothing_left () =
  let threads () = Array.length (Sys.readdir "/proc/self/task") in
  if Sys.file_exists "/proc/self/task" then begin
    hostile 1 ();
    Unix.sleepf 0.05;
    let before = threads () in
    for _ = 1 to 5 do
      hostile 1 ()
    done;
    Unix.sleepf 0.05;
    let after = threads () in
    if after > before then
      Alcotest.failf "%d threads before, %d after" before after
  end

let misuse () =
  let refused f =
    match f () with
    | () -> Alcotest.fail "accepted"
    | exception (Invalid_argument _ | Dromos.Misplaced _) -> ()
  in
  refused (fun () -> Preemption.run ignore);
  Watch.check Alcotest.int "mask outside fibers is a call" 1
    (Preemption.mask (fun () -> 1));
  Dromos.run ~workers:1 (fun () ->
      refused (fun () -> Preemption.run ~quantum:0. ignore);
      refused (fun () -> Preemption.run ~quantum:nan ignore))

let () =
  Watch.suite "preempt" (fun () ->
      let case = Watch.case in
      Alcotest.run "preempt"
        [
          ( "preempt",
            [
              case "fibers that never give way" (hostile 1);
              case "on two vprocs" (hostile 2);
              case "tasks of the front door" at_the_root;
              case "by polling" polled;
              case "masked" masked;
              case "raising" raising;
              case "cancelled" cancelled;
              case "interrupted" (interrupted 0);
              case "interrupted while preempted" (interrupted 3);
              case "everything on one" (storm 1);
              case "everything on two" (storm 2);
              case "everything on four" (storm 4);
              case "more than the bound" beyond_the_bound;
              case "40 endless ones" (endless 1 40);
              case "300 endless ones" (endless 1 300);
              case "300 endless ones, 2 workers" (endless 2 300);
              case ~limit:20. "sent home by one that is cancelled" sent_home;
              case ~limit:20. "preempted at its end" at_the_end;
              case "no thread is left" nothing_left;
              case "misuse" misuse;
            ] );
          ("library", Library_state.cases);
        ])
