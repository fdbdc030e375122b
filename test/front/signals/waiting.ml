(* A program that waits, in several ways, and gets a signal from its parent. The
   program prints a line in its handler. waiting.exe WAY *)

open Dromos

let say text = print_endline text
let ready () = say "ready"

let broken f =
  Sys.catch_break true;
  match f () with
  | () -> say "the run ended by itself"
  | exception Sys.Break -> say "Break"

let forever f =
  while true do
    f ()
  done

let on_break act = Sys.set_signal Sys.sigint (Signal_handle (fun _ -> act ()))

(* Fibers that wait for requests. *)
let idle () =
  broken (fun () ->
      let requests : int Channel.t = Channel.create () in
      run ~workers:2 (fun () ->
          Scope.run (fun scope ->
              for _ = 1 to 4 do
                Scope.fork scope (fun () ->
                    forever (fun () -> ignore (Channel.recv requests)))
              done;
              ready ()));
      Channel.send requests 0)

(* Like [idle], beside a thread of the program in a system call. *)
let beside_thread () =
  let requests : int Channel.t = Channel.create () in
  let reader () =
    let out, _ = Unix.pipe () in
    ignore (Unix.read out (Bytes.create 1) 0 1);
    Channel.send requests 1
  in
  ignore (Thread.create reader ());
  broken (fun () ->
      run ~workers:2 (fun () ->
          ready ();
          forever (fun () -> ignore (Channel.recv requests))))

let sleeps () =
  broken (fun () ->
      run ~workers:2 (fun () ->
          ready ();
          sleep 60.))

let one_worker () =
  broken (fun () ->
      run ~workers:1 (fun () ->
          ready ();
          sleep 60.))

let blocks () =
  broken (fun () ->
      run ~workers:2 (fun () ->
          ready ();
          blocking (fun () -> Unix.sleep 60)))

let computes () =
  broken (fun () ->
      run ~workers:2 (fun () ->
          ready ();
          Par.for_ 0 max_int (fun i -> ignore (Sys.opaque_identity [ i ]))))

(* The caller is another thread, and the main thread waits for it. *)
let called_by_thread () =
  broken (fun () ->
      let result = ref None in
      let call () =
        result :=
          match
            run ~workers:2 (fun () ->
                ready ();
                sleep 60.)
          with
          | () -> None
          | exception e -> Some e
      in
      Thread.join (Thread.create call ());
      Option.iter raise !result)

let cancels () =
  match
    run ~workers:2 (fun () ->
        Scope.run (fun scope ->
            on_break (fun () -> Scope.cancel scope);
            ready ();
            sleep 60.))
  with
  | () -> say "the run ended by itself"
  | exception Cancelled -> say "cancelled"

let wakes () =
  let stop = Ivar.create () in
  on_break (fun () -> ignore (Ivar.try_fill stop () : bool));
  run ~workers:2 (fun () ->
      ready ();
      Ivar.read stop);
  say "woken"

(* The program's earlier handler is restored. *)
let puts_back () =
  let count = ref 0 in
  on_break (fun () -> incr count);
  run (fun () -> sleep 0.01);
  let found = Sys.signal Sys.sigint Signal_default in
  run (fun () -> sleep 0.01);
  Sys.set_signal Sys.sigint found;
  run ~workers:2 (fun () ->
      ready ();
      while !count = 0 do
        sleep 0.01
      done);
  say "counted"

exception Struck of int

(* The run gets the exception of each handler, however the program has changed
   the handler since the last run. *)
let changes () =
  let handler n = Sys.Signal_handle (fun _ -> raise (Struck n)) in
  let strike () =
    let kill_and_wait () =
      Unix.kill (Unix.getpid ()) Sys.sigusr1;
      forever yield
    in
    match
      run (fun () -> try kill_and_wait () with Struck _ -> say "inside")
    with
    | () -> say "the run ended by itself"
    | exception Struck n -> say (string_of_int n)
  in
  let change behaviour = Sys.signal Sys.sigusr1 behaviour in
  ready ();
  run ignore;
  ignore (change (handler 1) : Sys.signal_behavior);
  strike ();
  let first = change Signal_default in
  run ignore;
  ignore (change first : Sys.signal_behavior);
  strike ();
  let also_first = change (handler 2) in
  strike ();
  let second = change also_first in
  strike ();
  ignore (change second : Sys.signal_behavior);
  strike ();
  ignore (change (handler 3) : Sys.signal_behavior);
  strike ()

(* The clean-up takes for ever: the second signal ends the process. *)
let stubborn () =
  broken (fun () ->
      run ~workers:2 (fun () ->
          Fun.protect
            ~finally:(fun () ->
              say "cleaning up";
              protect (fun () -> sleep 60.))
            (fun () ->
              ready ();
              sleep 60.)))

(* {1 Outside any run} *)

let outside wait () =
  broken (fun () ->
      ready ();
      wait ())

let outside_accept () =
  let socket = Unix.socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  Unix.bind socket (ADDR_INET (Unix.inet_addr_loopback, 0));
  Unix.listen socket 1;
  ignore (Io.accept socket)

let outside_lock () =
  let lock = Mutex.create () and held = Latch.create 1 in
  let hold () =
    Mutex.lock lock;
    Latch.count_down held;
    Unix.sleep 60
  in
  ignore (Thread.create hold ());
  Latch.wait held;
  Mutex.lock lock

(* A server: its tasks are cancelled and clean up. *)
let runtime wait () =
  let clean = ref false in
  broken (fun () ->
      Runtime.with_ ~workers:2 (fun t ->
          let task () =
            Fun.protect
              ~finally:(fun () -> clean := true)
              (fun () ->
                ready ();
                sleep 60.)
          in
          wait t task));
  say (if !clean then "clean" else "not clean")

(* The handler only wakes the waiting thread. *)
let outside_wakes () =
  let stop = Promise.create () in
  on_break (fun () -> ignore (Promise.try_resolve stop (Ok ()) : bool));
  ready ();
  await stop;
  say "woken"

(* A thread woken for a signal waits again. *)
let outside_goes_on () =
  let count = ref 0 and stop = Promise.create () in
  on_break (fun () -> incr count);
  let other () =
    while !count = 0 do
      Unix.sleepf 0.01
    done;
    Unix.sleepf 0.2;
    Promise.resolve stop ()
  in
  ignore (Thread.create other ());
  ready ();
  await stop;
  say (if !count = 1 then "counted" else "not counted")

let ways =
  [
    ("outside-sleep", outside (fun () -> sleep 60.));
    ("outside-await", outside (fun () -> await (Promise.create ())));
    ("outside-accept", outside outside_accept);
    ("outside-lock", outside outside_lock);
    ("runtime-run", runtime (fun t task -> Runtime.run t task));
    ("runtime-await", runtime (fun t task -> await (Runtime.submit t task)));
    ("outside-wakes", outside_wakes);
    ("outside-goes-on", outside_goes_on);
    ("idle", idle);
    ("beside-thread", beside_thread);
    ("sleeps", sleeps);
    ("one-worker", one_worker);
    ("blocks", blocks);
    ("computes", computes);
    ("called-by-thread", called_by_thread);
    ("cancels", cancels);
    ("wakes", wakes);
    ("puts-back", puts_back);
    ("changes", changes);
    ("stubborn", stubborn);
  ]

let () = (List.assoc Sys.argv.(1) ways) ()
