(* Values and exceptions, from Lwt to Dromos and back. *)

open Bridged
open Lwt.Syntax
module Promise = Dromos_sync.Promise
module Channel = Dromos_sync.Channel
module Event = Dromos_sync.Event

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let run = Dromos_lwt.run

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let offload () =
  run (fun () ->
      let* n = Dromos_lwt.offload (fun () -> fib 20) in
      int "computed" 6765 n;
      let* inside = Dromos_lwt.offload Dromos.inside in
      bool "in a run" true inside;
      let domain = Domain.self () in
      let* other = Dromos_lwt.offload Domain.self in
      bool "elsewhere" true (other <> domain);
      (* A task may cross back, and forth again. *)
      let* back =
        Dromos_lwt.offload (fun () ->
            let here =
              Dromos_lwt.in_lwt (fun () -> Lwt.return (Domain.self ()))
            in
            let n =
              Dromos_lwt.in_lwt (fun () ->
                  Dromos_lwt.offload (fun () -> fib 10))
            in
            (here, n))
      in
      bool "Lwt's domain" true (fst back = domain);
      int "nested" 55 (snd back);
      Lwt.return_unit)

let pools () =
  run (fun () ->
      let pool = Dromos_lwt.Pool.start ~workers:1 ~hub:Dromos.Hub.fifo () in
      let gate = Promise.create () and over = Atomic.make false in
      let slow =
        Dromos_lwt.offload ~pool (fun () ->
            Promise.await gate;
            Atomic.set over true)
      in
      let stopped = Dromos_lwt.Pool.stop pool in
      let again = Dromos_lwt.Pool.stop pool in
      let* () = Lwt_unix.sleep 0.02 in
      bool "stop waits" true (Lwt.is_sleeping stopped);
      Promise.resolve gate ();
      let* () = Lwt.join [ stopped; again; slow ] in
      bool "for the task" true (Atomic.get over);
      let* () = Dromos_lwt.Pool.stop pool in
      (match Dromos_lwt.offload ~pool ignore with
      | _ -> Alcotest.fail "a stopped pool took a task"
      | exception Dromos.Runtime.Stopped _ -> ());
      match Dromos_lwt.Pool.start ~workers:0 () with
      | _ -> Alcotest.fail "workers:0"
      | exception Invalid_argument _ -> Lwt.return_unit)

(* The rejection is the last exception raised when the handler starts, whatever
   the number of binds in between. *)
let exceptions_to_lwt () =
  let seen = ref false in
  run (fun () ->
      Lwt.catch
        (fun () ->
          let* n = Lwt.map succ (Dromos_lwt.offload (fun () -> raising 1)) in
          Lwt.return (ignore (n + 1)))
        (fun e ->
          let bt = Printexc.get_raw_backtrace () in
          bool "exception" true (e = Boom 1);
          seen := names_raising bt;
          Lwt.return_unit));
  bool "backtrace in the handler" true !seen;
  match
    run (fun () ->
        Lwt.bind
          (Dromos_lwt.offload (fun () -> raising 2))
          (fun () -> Lwt.return_unit))
  with
  | () -> Alcotest.fail "no exception"
  | exception Boom n ->
      let bt = Printexc.get_raw_backtrace () in
      int "out of run" 2 n;
      bool "its backtrace" true (names_raising bt)

let raised_in_lwt what n f =
  match Dromos_lwt.in_lwt f with
  | () -> Alcotest.fail "no exception"
  | exception Boom m ->
      let bt = Printexc.get_raw_backtrace () in
      int what n m;
      bool (what ^ ": backtrace") true (names_raising bt)

let exceptions_from_lwt () =
  Dromos_lwt.with_loop @@ fun () ->
  let all () =
    raised_in_lwt "at once" 1 (fun () -> raising 1);
    raised_in_lwt "later" 2 (fun () ->
        let* () = Lwt_unix.sleep 0.001 in
        let* () = Lwt.pause () in
        raising 2);
    raised_in_lwt "after a handler" 3 (fun () ->
        let* () =
          Lwt.catch (fun () -> Lwt.pause ()) (fun _ -> Lwt.return_unit)
        in
        Lwt.map ignore (Lwt.bind (Lwt.pause ()) (fun () -> raising 3)));
    (* There and back: Dromos, Lwt, Dromos. *)
    raised_in_lwt "through both" 4 (fun () ->
        Dromos_lwt.offload (fun () -> raising 4))
  in
  all ();
  Dromos.run ~workers:2 all

(* An exception that was never raised has no backtrace, rather than the
   backtrace of another exception. *)
let no_backtrace_invented () =
  run (fun () ->
      let* () = Lwt.catch (fun () -> raising 5) (fun _ -> Lwt.return_unit) in
      Dromos_lwt.offload (fun () ->
          match Dromos_lwt.in_lwt (fun () -> Lwt.fail (Boom 6)) with
          | () -> Alcotest.fail "no exception"
          | exception Boom 6 ->
              bool "not the other's" false
                (names_raising (Printexc.get_raw_backtrace ()))))

let in_lwt_from f =
  let p = ref None in
  Dromos_lwt.with_loop (fun () ->
      f (fun () ->
          int "in_lwt" 3
            (Dromos_lwt.in_lwt (fun () ->
                 let* () = Lwt_unix.sleep 0.001 in
                 Lwt.return 3));
          p :=
            Some
              (Dromos_lwt.in_lwt (fun () -> Lwt.return (Lwt_unix.sleep 0.001)));
          Option.iter Dromos_lwt.await !p;
          (* The promise is resolved already. *)
          Option.iter Dromos_lwt.await !p))

let from_everywhere () =
  in_lwt_from (fun f -> f ());
  in_lwt_from (fun f -> Domain.join (Domain.spawn f));
  in_lwt_from (fun f -> Thread.join (Thread.create f ()));
  in_lwt_from (fun f -> Dromos.run ~workers:1 f);
  in_lwt_from (fun f ->
      Dromos.run ~workers:2 (fun () ->
          ignore (Dromos.all (List.init 20 (fun _ -> f)))))

let structures () =
  run (fun () ->
      let c = Channel.create () in
      let got = Dromos_lwt.sync (Channel.recv_event c) in
      let* () = Dromos_lwt.offload (fun () -> Channel.send c 1) in
      let* n = got in
      int "recv" 1 n;
      let other = Dromos_lwt.offload (fun () -> Channel.recv c) in
      let* () = Dromos_lwt.sync (Channel.send_event c 2) in
      let* n = other in
      int "send" 2 n;
      let lwt_thread = Thread.id (Thread.self ()) in
      let* n =
        Dromos_lwt.sync
          (Event.choose
             [
               Event.wrap (Channel.recv_event c) (fun _ -> -1);
               Event.wrap (Event.timeout 0.005) (fun () ->
                   Thread.id (Thread.self ()));
             ])
      in
      int "the timeout won; wrap ran in Lwt's thread" lwt_thread n;
      let p = Promise.create () in
      let q = Dromos_lwt.of_promise p in
      let* () = Dromos_lwt.offload (fun () -> Promise.resolve p 4) in
      let* n = q in
      int "promise" 4 n;
      (* Both ends are in Lwt. *)
      let r = Dromos_lwt.sync (Channel.recv_event c) in
      let* () = Dromos_lwt.sync (Channel.send_event c 5) in
      let* n = r in
      int "within Lwt" 5 n;
      Lwt.catch
        (fun () ->
          Dromos_lwt.sync (Event.wrap (Event.always ()) (fun () -> raising 7)))
        (fun e ->
          bool "an exception of wrap" true (e = Boom 7);
          Lwt.return_unit))

let direct () =
  run (fun () ->
      let steps = ref [] in
      let p =
        Dromos_lwt.fiber (fun () ->
            steps := 1 :: !steps;
            Dromos_lwt.await (Lwt_unix.sleep 0.002);
            steps := 3 :: !steps;
            Dromos_lwt.in_lwt (fun () -> Lwt.return 4))
      in
      steps := 2 :: !steps;
      let* n = p in
      int "value" 4 n;
      Watch.check Alcotest.(list int) "order" [ 3; 2; 1 ] !steps;
      Lwt.catch
        (fun () ->
          Dromos_lwt.fiber (fun () -> Dromos_lwt.await (Lwt.fail (Boom 1))))
        (fun e ->
          bool "exception" true (e = Boom 1);
          Lwt.return_unit))

(* Lwt_main.run called directly, many times. *)
let plain_lwt_main () =
  for i = 1 to 20 do
    let n = Lwt_main.run (Dromos_lwt.offload (fun () -> i)) in
    int "offload" i n
  done;
  (* [run] registers the thread again. *)
  int "run" 1 (run (fun () -> Dromos_lwt.offload (fun () -> 1)))

let cases =
  let case = Watch.case in
  [
    case "plain Lwt_main.run" plain_lwt_main;
    case "offload" offload;
    case "pools" pools;
    case "exceptions to Lwt" exceptions_to_lwt;
    case "exceptions from Lwt" exceptions_from_lwt;
    case "no backtrace is invented" no_backtrace_invented;
    case "from everywhere" from_everywhere;
    case "structures" structures;
    case "direct style" direct;
  ]
