(* The programs to strike with signals; the programs have no end. *)

(* With poll points, like most code. *)
let work () =
  let cell = ref [] in
  for i = 1 to 1000 do
    cell := [ i ]
  done;
  ignore (Sys.opaque_identity !cell)

let forever f =
  while true do
    f ()
  done

open Dromos

let tasks () =
  Scope.run (fun scope ->
      forever (fun () ->
          for _ = 1 to 100 do
            Scope.fork scope work
          done;
          yield ()))

let messages () =
  let channel = Channel.create () in
  let send () =
    forever (fun () ->
        work ();
        Channel.send channel 1)
  in
  let receive () = forever (fun () -> ignore (Channel.recv channel : int)) in
  ignore (both send receive)

let streams () =
  let stream = Stream.create 4 in
  Scope.run (fun scope ->
      for i = 1 to 3 do
        Scope.fork scope (fun () -> forever (fun () -> Stream.add stream i));
        Scope.fork scope (fun () ->
            forever (fun () -> ignore (Stream.take stream : int)))
      done)

let promises () = forever (fun () -> await (async work))
let loops () = forever (fun () -> Par.for_ 0 1000 (fun _ -> work ()))
let forks () = forever (fun () -> ignore (both work work))

let deep_forks () =
  let rec tree n =
    if n > 0 then
      ignore (both (fun () -> tree (n - 1)) (fun () -> tree (n - 1)))
  in
  forever (fun () -> tree 12)

let locks () =
  let mutex = Mutex.create () and count = ref 0 in
  Scope.run (fun scope ->
      for _ = 1 to 4 do
        Scope.fork scope (fun () ->
            forever (fun () ->
                Mutex.protect mutex (fun () ->
                    incr count;
                    if !count land 7 = 0 then yield ())))
      done)

let timeouts () =
  forever (fun () ->
      match timeout 0.0001 (fun () -> sleep 1.) with
      | () -> ()
      | exception Timeout -> ())

let choices () =
  let a = Channel.create () and b = Channel.create () in
  Scope.run (fun scope ->
      Scope.fork scope (fun () -> forever (fun () -> Channel.send a 1));
      Scope.fork scope (fun () -> forever (fun () -> Channel.send b 2));
      forever (fun () ->
          ignore
            (Event.select [ Channel.recv_event a; Channel.recv_event b ] : int)))

let blocked () = forever (fun () -> blocking work)
let waiting () = Promise.await (Promise.create ())
let sleeping () = sleep 100.
let yielding () = forever yield

let cleaning () =
  forever (fun () ->
      Fun.protect ~finally:(fun () -> protect (fun () -> sleep 0.0001)) work;
      check ())

let scheduled () =
  Sched.Round_robin.run (fun () ->
      Scope.run (fun scope ->
          for _ = 1 to 3 do
            Scope.fork scope (fun () ->
                forever (fun () ->
                    work ();
                    yield ()))
          done))

let preempted () =
  Sched.Preemption.run ~quantum:0.001 (fun () ->
      Scope.run (fun scope ->
          for _ = 1 to 3 do
            Scope.fork scope (fun () ->
                forever (fun () ->
                    work ();
                    check ()))
          done))

let interruptible () =
  Sched.Preemption.run ~quantum:0.001 (fun () ->
      Sched.Preemption.interruptible (fun () -> forever ignore))

let graphs () =
  forever (fun () ->
      let dag = Dag.create () in
      for _ = 1 to 20 do
        ignore (Dag.vertex dag work)
      done;
      Dag.run dag)

let all =
  [
    ("tasks", tasks);
    ("messages", messages);
    ("streams", streams);
    ("promises", promises);
    ("loops", loops);
    ("forks", forks);
    ("deep forks", deep_forks);
    ("locks", locks);
    ("timeouts", timeouts);
    ("choices", choices);
    ("blocking", blocked);
    ("waiting", waiting);
    ("sleeping", sleeping);
    ("yielding", yielding);
    ("clean-up", cleaning);
    ("scheduled", scheduled);
    ("preempted", preempted);
    ("interruptible", interruptible);
    ("graphs", graphs);
  ]

let names = List.map fst all
