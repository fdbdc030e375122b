(* Dromos's structures in the tasks of the real Miou. *)

open Bridged

let main f = Miou_unix.run (fun () -> Dromos_miou.wrap f)

let together fs =
  List.map (fun f -> Miou.async (fun () -> Dromos_miou.wrap f)) fs
  |> List.iter Miou.await_exn

let host = { name = "Miou"; main; together }

let ways : Both_ways.ways =
  {
    name = "Miou";
    main;
    together;
    offload = (fun ?pool f -> Dromos_miou.offload ?pool f);
    inside = Dromos_miou.in_miou;
    with_loop = None;
    has_domains = true;
  }

let bool = Watch.check Alcotest.bool

let cancelled_waiting () =
  main (fun () ->
      let cell = Atomic.make None in
      let task =
        Miou.async (fun () -> Dromos_miou.wrap (fun () -> waiting cell))
      in
      let resume = ref None in
      while Option.is_none !resume do
        Miou.yield ();
        resume := Atomic.get cell
      done;
      Miou.cancel task;
      bool "cancelled" true (Miou.await task = Error Miou.Cancelled);
      bool "the resumer says so" false ((Option.get !resume) (Ok ())))

(* The function's scope is cancelled, and its requests are answered. *)
let cancelled_offload () =
  let over = Dromos.Promise.create () in
  main (fun () ->
      let begun = Dromos.Promise.create () in
      let compute () =
        match
          Dromos_miou.in_miou (fun () ->
              Dromos.Promise.resolve begun ();
              Miou_unix.sleep 1000.)
        with
        | () -> ()
        | exception e ->
            Dromos.Promise.resolve over ();
            raise e
      in
      let task = Miou.async (fun () -> Dromos_miou.offload compute) in
      Dromos.Promise.await begun;
      Miou.cancel task;
      bool "cancelled" true (Miou.await task = Error Miou.Cancelled));
  Dromos.Promise.await over

let cancelled_in_miou () =
  main (fun () ->
      Dromos_miou.offload (fun () ->
          let begun = Dromos.Promise.create () in
          match
            Dromos.Scope.run (fun scope ->
                Dromos.Scope.fork scope (fun () ->
                    Dromos_miou.in_miou (fun () ->
                        Dromos.Promise.resolve begun ();
                        Miou_unix.sleep 1000.));
                Dromos.await begun;
                Dromos.Scope.cancel scope)
          with
          | () | (exception Dromos.Cancelled) -> ()))

(* Cancelled before [offload] begins, during its submission, while the function
   asks for a child, or after a child: every entered section is left. *)
let cancelled_any_time () =
  let entered = Atomic.make 0 and left = Atomic.make 0 in
  let running = Atomic.make 0 in
  let function_ () =
    Atomic.incr running;
    Fun.protect
      ~finally:(fun () -> Atomic.decr running)
      (fun () ->
        Dromos_miou.in_miou ignore;
        Dromos.sleep 1000.)
  in
  let task () =
    Atomic.incr entered;
    Fun.protect
      ~finally:(fun () -> Atomic.incr left)
      (fun () -> Dromos_miou.offload function_)
  in
  Miou_unix.run ~domains:3 (fun () ->
      for i = 1 to 100 do
        let tasks = List.init 4 (fun _ -> Miou.call task) in
        Miou_unix.sleep (float_of_int (i mod 10) *. 1e-4);
        List.iter Miou.cancel tasks
      done;
      (* [cancel] does not wait for a task that another domain is waking, and
         the end of Miou drops the task. *)
      while Atomic.get left < Atomic.get entered do
        Miou_unix.sleep 0.001
      done);
  while Atomic.get running > 0 do
    Unix.sleepf 0.001
  done

(* Woken, and cancelled before the task could run: the task continues with its
   result, and its clean-up code is not dropped at the next wait. *)
let cancelled_after () =
  let cleaned = ref 0 in
  main (fun () ->
      let cell = Atomic.make None in
      let task =
        Miou.async (fun () ->
            Dromos_miou.wrap (fun () ->
                Fun.protect
                  ~finally:(fun () -> incr cleaned)
                  (fun () ->
                    waiting cell;
                    ignore (Dromos.Promise.await (Dromos.Promise.create ())))))
      in
      while Option.is_none (Atomic.get cell) do
        Miou.yield ()
      done;
      bool "woken" true
        (Domain.join (Domain.spawn (fun () -> (resumer cell) (Ok ()))));
      Miou.cancel task);
  Watch.check Alcotest.int "cleaned up" 1 !cleaned

let () =
  Sys.(set_signal sigpipe Signal_ignore);
  Watch.suite "bridge_miou" @@ fun () ->
  Alcotest.run "bridge_miou"
    [
      ("every host", cases host);
      ("both ways", Both_ways.cases ways);
      ( "cancellation",
        [
          Watch.case "while waiting" cancelled_waiting;
          Watch.case "an offload" cancelled_offload;
          Watch.case "in_miou" cancelled_in_miou;
          Watch.case "at any time" cancelled_any_time;
          Watch.case "after the resumption" cancelled_after;
        ] );
      ( "run",
        [
          Watch.case "Dromos.run inside" (fun () ->
              main (misplaced "Dromos_miou.offload"));
        ] );
    ]
