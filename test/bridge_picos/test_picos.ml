(* Dromos's structures in the fibers of the real Picos, on three schedulers. *)

open Bridged
open Picos

let fork computation f =
  let fiber = Fiber.create ~forbid:false computation in
  Fiber.spawn fiber (fun _ ->
      Computation.capture computation Dromos_picos.wrap f)

let together fs =
  let computations =
    List.map
      (fun f ->
        let computation = Computation.create () in
        fork computation f;
        computation)
      fs
  in
  List.iter Computation.await computations

let fifo =
  {
    name = "fifo";
    main = (fun f -> Picos_mux_fifo.run (fun () -> Dromos_picos.wrap f));
    together;
  }

let multififo =
  {
    name = "multififo";
    main =
      (fun f ->
        Picos_mux_multififo.run_on ~n_domains:2 (fun () -> Dromos_picos.wrap f));
    together;
  }

let random =
  {
    name = "random";
    main =
      (fun f ->
        Picos_mux_random.run_on ~n_domains:2 (fun () -> Dromos_picos.wrap f));
    together;
  }

exception Stop

let scheduler host : Conformance.scheduler =
  {
    name = host.name;
    run = host.main;
    fork =
      (fun f ->
        let computation = Computation.create () in
        fork computation f;
        fun () -> Computation.cancel computation Stop (Printexc.get_callstack 0));
    cancels = true;
  }

let stop_backtrace () =
  match raising 9 with
  | () -> Printexc.get_callstack 0
  | exception _ -> Printexc.get_raw_backtrace ()

let bool = Watch.check Alcotest.bool
let int = Watch.check Alcotest.int

let result computation =
  match Computation.await computation with v -> Ok v | exception e -> Error e

let until cell =
  while Atomic.get cell = None do
    Fiber.yield ()
  done

let cancelled_waiting host () =
  host.main (fun () ->
      let cell = Atomic.make None in
      let left = Atomic.make false in
      let computation = Computation.create () in
      fork computation (fun () ->
          match waiting cell with
          | () -> ()
          | exception (Stop as e) ->
              Atomic.set left true;
              raise e);
      until cell;
      Computation.cancel computation Stop (stop_backtrace ());
      bool "cancelled" true (result computation = Error Stop);
      while not (Atomic.get left) do
        Fiber.yield ()
      done;
      bool "the resumer says so" false ((resumer cell) (Ok ())))

(* Cancelled while another fiber holds the mutex: the wait returns with the
   mutex held. *)
let cancelled_condition host () =
  host.main (fun () ->
      let open Dromos_sync in
      let mutex = Mutex.create () and changed = Condition.create () in
      let waits = Atomic.make false and back = Atomic.make false in
      let computation = Computation.create () in
      let over = Computation.create () in
      fork computation (fun () ->
          Fun.protect
            ~finally:(fun () -> Computation.finish over)
            (fun () ->
              Mutex.protect mutex (fun () ->
                  Atomic.set waits true;
                  match Condition.wait changed mutex with
                  | () -> ()
                  | exception (Stop as e) ->
                      Atomic.set back (Mutex.is_locked mutex);
                      raise e)));
      while not (Atomic.get waits) do
        Fiber.yield ()
      done;
      Mutex.protect mutex (fun () ->
          Computation.cancel computation Stop (stop_backtrace ());
          for _ = 1 to 10 do
            Fiber.yield ()
          done;
          bool "not yet" false (Atomic.get back));
      Computation.await over;
      bool "with the mutex" true (Atomic.get back);
      bool "and without at the end" false (Mutex.is_locked mutex))

let cancelled_before host () =
  host.main (fun () ->
      let applied = Atomic.make false and over = Atomic.make false in
      let computation = Computation.create () in
      Computation.cancel computation Stop (stop_backtrace ());
      fork computation (fun () ->
          Fun.protect
            ~finally:(fun () -> Atomic.set over true)
            (fun () ->
              Dromos_suspend.suspend (fun _ ->
                  Atomic.set applied true;
                  Some ())));
      (* A fiber of a cancelled computation may never start. *)
      for _ = 1 to 100 do
        Fiber.yield ()
      done;
      bool "block was not applied" false (Atomic.get applied))

let protected host () =
  host.main (fun () ->
      let cell = Atomic.make None in
      let got = Atomic.make 0 in
      let computation = Computation.create () in
      fork computation (fun () ->
          Fiber.forbid (Fiber.current ()) (fun () ->
              Atomic.set got (waiting cell)));
      until cell;
      Computation.cancel computation Stop (stop_backtrace ());
      for _ = 1 to 10 do
        Fiber.yield ()
      done;
      bool "still waiting, and resumed" true ((resumer cell) (Ok 4));
      while Atomic.get got = 0 do
        Fiber.yield ()
      done;
      int "waited on" 4 (Atomic.get got))

let races host () =
  let won = ref 0 and rounds = 300 in
  host.main (fun () ->
      for _ = 1 to rounds do
        let cell = Atomic.make None and waited = Atomic.make 0 in
        let computation = Computation.create () in
        fork computation (fun () ->
            match waiting cell with
            | () -> Atomic.set waited 1
            | exception Stop -> Atomic.set waited 2);
        let other = Domain.spawn (fun () -> (resumer cell) (Ok ())) in
        until cell;
        Computation.cancel computation Stop (stop_backtrace ());
        let first = Domain.join other in
        while Atomic.get waited = 0 do
          Fiber.yield ()
        done;
        bool "the fiber had it exactly if the resumer won" first
          (Atomic.get waited = 1);
        if first then incr won
      done);
  Printf.printf "the resumer won %d of %d\n" !won rounds

let ways host : Both_ways.ways =
  {
    name = host.name;
    main = host.main;
    together;
    offload = (fun ?pool f -> Dromos_picos.offload ?pool f);
    inside = Dromos_picos.in_picos;
    with_loop =
      Some (fun f -> Dromos_picos.with_loop (fun main -> host.main main) f);
    has_domains = host != fifo;
  }

let suite host =
  let case name f = Watch.case (host.name ^ ": " ^ name) (f host) in
  ( host.name,
    (* Multififo is slow to wake other domains, and the suite waits for such
       wake-ups often. *)
    (if host == multififo then [] else Conformance.cases (scheduler host))
    @ cases host
    @ [
        case "cancelled while waiting" cancelled_waiting;
        case "cancelled before" cancelled_before;
        case "cancelled in a condition's wait" cancelled_condition;
        case "forbidden" protected;
        case "cancellation racing a resumption" races;
        case "Dromos.run inside" (fun host () ->
            host.main (misplaced "Dromos_picos.offload"));
      ]
    @ Both_ways.cases (ways host) )

let () =
  Watch.suite "bridge_picos" @@ fun () ->
  Alcotest.run "bridge_picos" (List.map suite [ fifo; multififo; random ])
